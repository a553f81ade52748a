-- Days with changes of balances.
SELECT DISTINCT toUInt16(day) AS day_number
FROM agg_balance_day
WHERE chain_id = {chain_id:UInt32} AND token != ''
  AND day >= toDate({from_day:UInt16}) AND day < toDate({until_day:UInt16})
ORDER BY day_number
