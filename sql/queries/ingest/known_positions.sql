-- The last range and liquidity of some positions.
SELECT lower(hex(position)) AS position_hex, lower(hex(last.1)) AS pool_hex, last.2 AS tick_lower, last.3 AS tick_upper,
       last.4 AS liquidity
FROM
(
    SELECT position, argMax((pool, tick_lower, tick_upper, liquidity), (block_number, log_index)) AS last
    FROM fact_pool_position
    WHERE chain_id = {chain_id:UInt32} AND block_number < {before:UInt64}
      AND position IN (SELECT unhex(arrayJoin({keys:Array(String)})))
    GROUP BY position
)
