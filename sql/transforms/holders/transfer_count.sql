SELECT count() AS transfers
FROM fact_transfer
WHERE chain_id = {chain_id:UInt32}
