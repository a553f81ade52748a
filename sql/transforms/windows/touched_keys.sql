-- How many keys of some subjects the changes of a window contain.
SELECT uniqExact(key) AS touched
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
  AND subject IN {subjects:Array(String)}
