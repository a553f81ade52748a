-- What has to be added to the balance changes of some days so that they are those of the stored transfers, for the
-- tokens of a query that the caller puts in.
SELECT toUInt32({chain_id:UInt32}) AS chain_id, token, wallet, day, sum(amount) AS delta_raw
FROM
(
    SELECT token, side.1 AS wallet, toDate(block_time) AS day, side.2 AS amount
    FROM fact_transfer
    ARRAY JOIN [(to_address, toInt256(amount_raw)), (from_address, -toInt256(amount_raw))] AS side
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM moved_token) AND side.1 != repeat('\0', 20)
      AND block_time >= {since:DateTime('UTC')} AND block_time < {until:DateTime('UTC')}
    UNION ALL
    SELECT token, wallet, day, -delta_raw
    FROM agg_balance_day
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM moved_token)
      AND day >= toDate({since:DateTime('UTC')}) AND day < toDate({until:DateTime('UTC')})
)
GROUP BY token, wallet, day
HAVING delta_raw != 0
