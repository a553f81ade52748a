-- How a contract was created: the newest creation at its address.
SELECT
    lower(hex(transaction_hash)) AS transaction_hash,
    lower(hex(creator)) AS creator,
    lower(hex(factory)) AS factory,
    block_number
FROM fact_contract_creation
WHERE chain_id = {chain_id:UInt32} AND address = unhex({address:String})
ORDER BY block_number DESC, creation_index DESC
LIMIT 1
