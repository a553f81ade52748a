-- The same as moves.sql, from all transfers that are kept, for tokens that are recomputed in full.
INSERT INTO work_move
WITH work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT
    {chain_id:UInt32},
    token,
    side.1 AS wallet,
    toStartOfHour(block_time) AS hour,
    sum(side.2) AS delta_raw,
    sum(side.3) AS sent,
    max(block_time) AS last_time,
    max(block_number) AS last_block
FROM fact_transfer
ARRAY JOIN [
    tuple(from_address, -toInt256(amount_raw), toInt64(1)),
    tuple(to_address, toInt256(amount_raw), toInt64(0))
] AS side
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
  AND token IN (SELECT token FROM work_token WHERE after_block < 0)
  AND block_time >= (SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32})
GROUP BY token, wallet, hour
