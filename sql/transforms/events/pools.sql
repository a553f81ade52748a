-- Pools of some tokens with a quote asset, on known exchanges and without hooks.
SELECT lower(hex(pool)) AS pool, lower(hex(pair.1)) AS token_hex, lower(hex(pair.2)) AS quote, pair.3 AS quote_is_token1
FROM
(
    SELECT pool, arrayJoin([(token0, token1, 1), (token1, token0, 0)]) AS pair
    FROM fact_pool
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {final:UInt64}
      AND lower(hex(factory)) IN {factories:Array(String)} AND empty(replaceAll(hooks, '\0', ''))
      AND (
          token0 IN (SELECT unhex(arrayJoin({tokens:Array(String)})))
          OR token1 IN (SELECT unhex(arrayJoin({tokens:Array(String)})))
      )
)
WHERE token_hex IN {tokens:Array(String)} AND quote IN {quotes:Array(String)}
