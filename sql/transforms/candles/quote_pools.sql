-- Believed pools between two quotes: what quotes are priced by.
INSERT INTO work_key
SELECT DISTINCT {chain_id:UInt32}, pool
FROM fact_pool
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
  AND lower(hex(factory)) IN {factories:Array(String)}
  AND empty(replaceAll(hooks, '\0', ''))
  AND lower(hex(token0)) IN {quotes:Array(String)} AND lower(hex(token1)) IN {quotes:Array(String)}
