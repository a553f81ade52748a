-- Believed pools of the tokens that are traded in some buckets: what their prices rest on.
INSERT INTO work_key
WITH pools AS
(
    SELECT pool, arrayFilter(side -> NOT has({quotes:Array(String)}, lower(hex(side))), [token0, token1]) AS priced,
           if(empty(priced), [token0, token1], priced) AS tokens
    FROM fact_pool
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
      AND lower(hex(factory)) IN {factories:Array(String)}
      AND empty(replaceAll(hooks, '\0', ''))
      AND (lower(hex(token0)) IN {quotes:Array(String)} OR lower(hex(token1)) IN {quotes:Array(String)})
    LIMIT 1 BY pool
)
SELECT DISTINCT {chain_id:UInt32}, pool
FROM pools
WHERE hasAny(tokens,
(
    SELECT groupUniqArrayArray(tokens)
    FROM pools
    WHERE pool IN
    (
        SELECT pool FROM agg_pool_candle FINAL
        WHERE chain_id = {chain_id:UInt32} AND deleted = 0
          AND bucket >= {from:DateTime('UTC')} AND bucket < {until:DateTime('UTC')}
    )
))
