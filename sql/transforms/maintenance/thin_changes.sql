-- Remove changes that every consumer has processed. Of each key the change that reaches furthest down is kept, so a
-- table that is rebuilt still finds every key.
DELETE FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > 0 AND change_id < {below:UInt64}
  AND from_time < {before:DateTime('UTC')}
  AND (subject, key, change_id) NOT IN
  (
      SELECT subject, key, argMin(change_id, (from_block, change_id))
      FROM fact_change
      WHERE chain_id = {chain_id:UInt32} AND change_id > 0
      GROUP BY subject, key
  )
