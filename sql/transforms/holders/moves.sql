-- What each wallet gained and sent per hour in the transfers that the totals do not include yet. The zero address is
-- included: its losses are the minted amount.
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
FROM
(
    SELECT transfer.token AS token, from_address, to_address, amount_raw, block_time, block_number
    FROM fact_transfer AS transfer
    INNER JOIN work_token AS work ON work.token = transfer.token
    WHERE transfer.chain_id = {chain_id:UInt32}
      AND transfer.token IN (SELECT token FROM work_token WHERE after_block >= 0)
      AND transfer.block_number >= {from_block:UInt64} AND transfer.block_number <= {through:UInt64}
      AND work.after_block >= 0 AND toInt64(transfer.block_number) > work.after_block
)
ARRAY JOIN [
    tuple(from_address, -toInt256(amount_raw), toInt64(1)),
    tuple(to_address, toInt256(amount_raw), toInt64(0))
] AS side
GROUP BY token, wallet, hour
