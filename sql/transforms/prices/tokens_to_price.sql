-- Tokens of the pools evaluated since the last pricing, tokens whose metrics change as time passes, tokens that were
-- priced at blocks that have been reverted, and tokens whose document will be made: its figures are of one block.
INSERT INTO work_key
SELECT {chain_id:UInt32}, arrayJoin([token0, token1])
FROM fact_pool
WHERE chain_id = {chain_id:UInt32} AND pool IN
(
    SELECT pool FROM agg_pool_liquidity
    WHERE chain_id = {chain_id:UInt32} AND version > {after_version:UInt64}
)
UNION DISTINCT
SELECT {chain_id:UInt32}, token
FROM agg_token_price FINAL
WHERE chain_id = {chain_id:UInt32} AND {sweep:UInt8} = 1
  AND ({full:UInt8} = 1 OR last_trade_time >= {active_since:DateTime('UTC')})
UNION DISTINCT
SELECT {chain_id:UInt32}, token
FROM agg_token FINAL
WHERE chain_id = {chain_id:UInt32} AND version > {after_version:UInt64} AND token IN
    (SELECT arrayJoin([token0, token1]) FROM fact_pool WHERE chain_id = {chain_id:UInt32})
UNION DISTINCT
SELECT {chain_id:UInt32}, token
FROM agg_token_price FINAL
WHERE chain_id = {chain_id:UInt32} AND {reverted_from:UInt64} != 18446744073709551615
  AND as_of_block >= {reverted_from:UInt64}
UNION DISTINCT
SELECT {chain_id:UInt32}, token
FROM agg_token_price FINAL
WHERE chain_id = {chain_id:UInt32} AND token IN
(
    SELECT token FROM agg_document_request
    WHERE chain_id = {chain_id:UInt32} AND version > {documented:UInt64} AND cause != 'heartbeat'
)
