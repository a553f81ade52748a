-- Logs of a chain's registry in a range of blocks, of the kinds that subscribers are notified of.
SELECT
    block_number,
    toUInt32(block_time) AS block_time_seconds,
    log_index,
    kind,
    token_id,
    symbol,
    lower(hex(owner)) AS owner,
    lower(hex(transaction_hash)) AS transaction_hash,
    metadata_cid
FROM fact_registry_event
WHERE chain_id = {chain_id:UInt32} AND block_number >= {first:UInt64} AND block_number <= {final:UInt64}
  AND kind IN ('registered', 'released', 'expired', 'metadata')
ORDER BY block_number, log_index
LIMIT {limit:UInt32}
