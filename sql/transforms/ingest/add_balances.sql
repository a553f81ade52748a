-- Balance changes of one unit's transfers, summed per wallet and day; {sign:Int8} is -1 to revert them. A row with an
-- empty token and the unit's number is written with them: it tells readers of published units only
-- (sql/warehouse/0004_published_views.sql) that the unit's sums are complete.
INSERT INTO agg_balance_day (chain_id, token, wallet, day, delta_raw)
SELECT
    {chain_id:UInt32} AS chain_id,
    token,
    wallet,
    day,
    toInt256({sign:Int8}) * sum(amount) AS delta_raw
FROM
(
    SELECT token, to_address AS wallet, toDate(block_time) AS day, toInt256(amount_raw) AS amount
    FROM fact_transfer
    WHERE fact_transfer.chain_id = {chain_id:UInt32} AND unit_id = {unit_id:UInt64} AND to_address != repeat('\0', 20)
    UNION ALL
    SELECT token, from_address AS wallet, toDate(block_time) AS day, -toInt256(amount_raw) AS amount
    FROM fact_transfer
    WHERE fact_transfer.chain_id = {chain_id:UInt32} AND unit_id = {unit_id:UInt64} AND from_address != repeat('\0', 20)
    UNION ALL
    SELECT '', unhex(leftPad(hex({unit_id:UInt64}), 16, '0')), toDate(0), toInt256(1)
    FROM fact_transfer
    WHERE fact_transfer.chain_id = {chain_id:UInt32} AND unit_id = {unit_id:UInt64}
    LIMIT 1
)
GROUP BY token, wallet, day
HAVING delta_raw != 0
