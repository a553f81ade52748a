-- Every event of the named registrations, in order, and those that concern all (token_id 0).
SELECT
    block_number,
    log_index,
    lower(hex(block_hash)) AS block_hash,
    toUInt32(block_time) AS block_time,
    lower(hex(transaction_hash)) AS transaction_hash,
    lower(hex(registry)) AS registry,
    kind,
    token_id,
    symbol,
    lower(hex(owner)) AS owner,
    lower(hex(token_address)) AS token_address,
    fee_wei,
    with_receipt,
    lower(hex(account)) AS account,
    enabled,
    metadata_cid,
    peer_chain_id,
    peer_token_id,
    reason,
    toUInt32(due_at) AS due_at,
    new_token_id
FROM fact_registry_event
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND (token_id = 0 OR token_id IN {token_ids:Array(UInt64)})
ORDER BY block_number, log_index
