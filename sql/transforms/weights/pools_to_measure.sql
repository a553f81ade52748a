-- Pools that count and had events since the hour before the first one that is measured: by the changes since then, and
-- by their measured hours, also removed ones.
INSERT INTO work_key
SELECT {chain_id:UInt32}, pool
FROM fact_pool
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
  AND cityHash64(pool) % {parts:UInt32} = {part:UInt32}
  AND lower(hex(factory)) IN {factories:Array(String)}
  AND empty(replaceAll(hooks, '\0', ''))
  AND (lower(hex(token0)) IN {quotes:Array(String)} OR lower(hex(token1)) IN {quotes:Array(String)})
  AND pool IN
  (
      SELECT key
      FROM fact_change
      WHERE chain_id = {chain_id:UInt32} AND change_id > {pending_after:UInt64} AND change_id <= {up_to:UInt64}
        AND subject = 'pool'
      UNION DISTINCT
      SELECT pool
      FROM agg_pool_depth FINAL
      WHERE chain_id = {chain_id:UInt32} AND moved = 1
        AND hour >= subtractHours({closed_to:DateTime('UTC')}, 1)
  )
GROUP BY pool
