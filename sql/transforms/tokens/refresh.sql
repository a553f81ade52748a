-- Identity of the touched tokens: the newest reading, the creation, and who controls the contract now.
INSERT INTO agg_token
WITH touched AS
(
    SELECT DISTINCT key AS token
    FROM fact_change
    WHERE chain_id = {chain_id:UInt32}
      AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
      AND subject IN ('metadata', 'control')
      AND cityHash64(key) % {parts:UInt32} = {part:UInt32}
),
readings AS
(
    SELECT
        address,
        argMax(
            tuple(name, symbol, decimals, total_supply_raw, owner, proxy_admin, read_status, program, traits),
            (read_block, unit_id)
        ) AS newest,
        max(read_block) AS newest_block,
        min(first_block) AS first_block,
        min(first_time) AS first_time,
        arraySort(groupArray((read_block, unit_id, symbol))) AS names,
        arrayLastIndex(reading -> lowerUTF8(reading.3) != lowerUTF8(names[-1].3), names) AS last_other,
        if(last_other > 0, toNullable(names[last_other + 1].1), NULL) AS named_block
    FROM fact_token
    WHERE chain_id = {chain_id:UInt32} AND read_block <= {through:UInt64} AND address IN (SELECT token FROM touched)
    GROUP BY address
),
creations AS
(
    SELECT
        address,
        argMax(
            tuple(creator, factory, transaction_to, block_number, block_time, creation_index),
            (block_number, creation_index)
        ) AS latest,
        1 AS seen
    FROM fact_contract_creation
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND address IN (SELECT token FROM touched)
    GROUP BY address
),
-- The latest event per kind, and per account for a role that several may hold.
control AS
(
    SELECT
        address,
        argMaxIf(account, (block_number, log_index), kind = 'owner') AS event_owner,
        maxIf(block_number, kind = 'owner') AS event_owner_block,
        countIf(kind = 'owner') AS owner_events,
        argMaxIf(account, (block_number, log_index), kind = 'proxy_admin') AS event_proxy_admin,
        maxIf(block_number, kind = 'proxy_admin') AS event_proxy_admin_block,
        countIf(kind = 'proxy_admin') AS proxy_admin_events
    FROM fact_control
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND address IN (SELECT token FROM touched)
    GROUP BY address
),
roles AS
(
    SELECT address, groupArrayIf(account, held) AS holders
    FROM
    (
        SELECT
            address,
            account,
            argMax(kind = 'default_admin_granted', (block_number, log_index)) AS held
        FROM fact_control
        WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
          AND kind IN ('default_admin_granted', 'default_admin_revoked')
          AND address IN (SELECT token FROM touched)
        GROUP BY address, account
    )
    GROUP BY address
),
-- The present holder of each authority, and since when without a break. Of those that nobody has any more, an empty
-- holder, and since when the last one had it: what that one minted or seized before it left is still there.
authorities AS
(
    SELECT address, arraySort(groupArray((kind, holder, since.1, since.4))) AS held
    FROM
    (
        SELECT
            address,
            kind,
            arraySort(groupArray((block_number, log_index, account, block_time))) AS changes,
            changes[-1].3 AS holder,
            arrayFilter(change -> notEmpty(change.3), changes) AS holders,
            if(
                notEmpty(holder),
                changes[arrayLastIndex(change -> change.3 != holder, changes) + 1],
                holders[arrayLastIndex(change -> change.3 != holders[-1].3, holders) + 1]
            ) AS since
        FROM fact_control
        WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND address IN (SELECT token FROM touched)
          AND kind IN {authorities:Array(String)}
        GROUP BY address, kind
    )
    WHERE notEmpty(holders)
    GROUP BY address
)
SELECT
    {chain_id:UInt32},
    touched.token,
    readings.newest.1,
    readings.newest.2,
    readings.newest.3,
    readings.newest.4,
    if(empty(replaceAll(if(control.owner_events > 0 AND control.event_owner_block > readings.newest_block,
                           control.event_owner, readings.newest.5) AS owner_now, '\0', '')), '', owner_now),
    arraySort(arrayDistinct(arrayFilter(
        account -> notEmpty(replaceAll(account, '\0', '')),
        arrayPushBack(
            roles.holders,
            if(control.proxy_admin_events > 0 AND control.event_proxy_admin_block > readings.newest_block,
               control.event_proxy_admin, readings.newest.6))))),
    readings.newest.7,
    readings.newest_block,
    readings.first_block,
    readings.first_time,
    creations.latest.1,
    creations.latest.2,
    creations.latest.3,
    if(creations.seen = 1, creations.latest.4, NULL),
    if(creations.seen = 1, creations.latest.5, NULL),
    if(creations.seen = 1, creations.latest.6, NULL),
    readings.named_block,
    if(isNull(readings.named_block), NULL, toNullable(blocks.block_time)),
    readings.newest.8,
    readings.newest.9,
    authorities.held,
    readings.address = '' OR has(readings.newest.9, 'non_fungible'),
    {version:UInt64}
FROM touched
LEFT JOIN readings ON readings.address = touched.token
LEFT JOIN
(
    SELECT block_number, block_time
    FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND block_number IN (SELECT named_block FROM readings WHERE named_block IS NOT NULL)
) AS blocks ON blocks.block_number = ifNull(readings.named_block, 0)
LEFT JOIN creations ON creations.address = touched.token
LEFT JOIN control ON control.address = touched.token
LEFT JOIN roles ON roles.address = touched.token
LEFT JOIN authorities ON authorities.address = touched.token
WHERE readings.address != '' AND NOT has(readings.newest.9, 'non_fungible') OR touched.token IN
(
    SELECT token FROM agg_token WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM touched)
)
