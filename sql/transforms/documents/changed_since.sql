-- The lowest block at which the balances of each of some tokens changed, in changes after {seen}.
SELECT lower(hex(key)) AS token, min(from_block) AS from_block
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > {seen:UInt64} AND subject = 'token'
  AND key IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
GROUP BY key
