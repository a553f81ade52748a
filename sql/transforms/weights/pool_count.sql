-- How many pools there are to measure, at most.
SELECT uniq(key) AS pools
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > {pending_after:UInt64} AND change_id <= {up_to:UInt64}
  AND subject = 'pool'
