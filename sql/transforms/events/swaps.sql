-- Swaps of the pools in work_key, in order.
SELECT
    lower(hex(pool)) AS pool_hex,
    block_number,
    log_index,
    toUInt32(block_time) AS seconds,
    lower(hex(transaction_hash)) AS transaction_hash,
    amount0_raw,
    amount1_raw
FROM fact_swap
WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key)
  AND block_number >= {first:UInt64} AND block_number <= {final:UInt64}
ORDER BY block_number, log_index
