-- Swaps of the pools in work_key, in order.
WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT
    lower(hex(swap.pool)) AS pool,
    swap.block_number AS block_number,
    swap.log_index AS log_index,
    toUInt32(swap.block_time) AS block_time_seconds,
    lower(hex(swap.transaction_hash)) AS transaction_hash,
    swap.amount0_raw AS amount0_raw,
    swap.amount1_raw AS amount1_raw
FROM fact_swap AS swap
WHERE swap.chain_id = {chain_id:UInt32} AND swap.pool IN (SELECT key FROM work_key)
  AND swap.block_number >= {first:UInt64} AND swap.block_number <= {final:UInt64}
ORDER BY block_number, log_index
