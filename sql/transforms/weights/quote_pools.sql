-- Measured hours of the pools between two quote assets, from the first hour of a day on.
SELECT
    toUInt32(depth.hour) AS hour,
    lower(hex(depth.pool)) AS pool_hex,
    pools.exchange AS exchange,
    lower(hex(pools.token0)) AS token0_hex,
    lower(hex(pools.token1)) AS token1_hex,
    depth.state.1 AS reserve0_raw,
    depth.state.2 AS reserve1_raw,
    depth.state.3 AS sqrt_price_x96,
    depth.amount0_raw AS amount0_raw,
    depth.amount1_raw AS amount1_raw
FROM (SELECT * FROM agg_pool_depth FINAL WHERE chain_id = {chain_id:UInt32} AND deleted = 0
          AND hour >= toStartOfDay({from_hour:DateTime('UTC')}) AND hour < {until:DateTime('UTC')}) AS depth
INNER JOIN
(
    SELECT pool, exchange, token0, token1
    FROM fact_pool
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
      AND lower(hex(token0)) IN {quotes:Array(String)} AND lower(hex(token1)) IN {quotes:Array(String)}
    LIMIT 1 BY pool
) AS pools ON pools.pool = depth.pool
ORDER BY hour, pool_hex
