-- The tokens' holders and supply as of the published block, and the supplies that their contracts reported, with
-- blocks.
WITH work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT
    lower(hex(identity.token)) AS token_hex,
    identity.created_block AS created_block,
    totals.holders_net AS holders,
    totals.supply_net_raw AS supply_raw,
    totals.last_supply_block AS last_supply_block,
    readings.blocks AS read_blocks,
    readings.supplies_raw AS readings_raw
FROM
(
    SELECT token, created_block
    FROM agg_token FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND token IN (SELECT token FROM work_token)
) AS identity
INNER JOIN
(
    SELECT token, holders_net, supply_net_raw, last_supply_block
    FROM agg_token_hour FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC') AND token IN (SELECT token FROM work_token)
) AS totals ON totals.token = identity.token
LEFT JOIN
(
    SELECT address AS token, groupArray(read_block) AS blocks, groupArray(supply_raw) AS supplies_raw
    FROM
    (
        SELECT address, read_block, assumeNotNull(total_supply_raw) AS supply_raw
        FROM fact_token
        WHERE chain_id = {chain_id:UInt32} AND address IN (SELECT token FROM work_token)
          AND read_block <= {through:UInt64} AND total_supply_raw IS NOT NULL
        ORDER BY address, read_block
    )
    GROUP BY address
) AS readings ON readings.token = identity.token
