-- Balance changes of one unit's transfers, summed per wallet and day; {sign:Int8} is -1 to take them back.
INSERT INTO agg_balance_day (chain_id, token, wallet, day, delta_raw)
SELECT
    {chain_id:UInt32} AS chain_id,
    token,
    side.1 AS wallet,
    toDate(block_time) AS day,
    toInt256({sign:Int8}) * sum(side.2) AS delta_raw
FROM fact_transfer
ARRAY JOIN [(to_address, toInt256(amount_raw)), (from_address, -toInt256(amount_raw))] AS side
WHERE fact_transfer.chain_id = {chain_id:UInt32} AND unit_id = {unit_id:UInt64} AND side.1 != repeat('\0', 20)
GROUP BY token, wallet, day
HAVING delta_raw != 0
ORDER BY token, wallet, day
