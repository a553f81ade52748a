-- Registered tokens of the pools that changed in some units, if the pool's other token is a quote asset.
SELECT DISTINCT lower(hex(pair.1)) AS token_hex
FROM
(
    SELECT arrayJoin([(token0, token1), (token1, token0)]) AS pair
    FROM fact_pool
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {final:UInt64} AND pool IN
    (
        SELECT key FROM fact_change
        WHERE chain_id = {chain_id:UInt32} AND change_id >= {first_unit:UInt64} AND change_id <= {last_unit:UInt64}
          AND subject = 'pool'
    )
)
WHERE lower(hex(pair.2)) IN {quotes:Array(String)} AND pair.1 IN
(
    SELECT token_address FROM fact_registry_event
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {final:UInt64} AND kind = 'registered'
)
