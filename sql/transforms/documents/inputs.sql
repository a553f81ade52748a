-- Everything in a search document except the registration and the copy verdict. Keys come as one text: an array of them
-- takes the planner longer than reading the rows.
SELECT
    lower(hex(identity.token)) AS token,
    identity.deleted AS deleted,
    identity.name AS name,
    identity.symbol AS symbol,
    identity.decimals AS decimals,
    identity.total_supply_raw AS reading_supply_raw,
    identity.read_block AS read_block,
    lower(hex(identity.owner)) AS owner,
    arrayMap(admin -> lower(hex(admin)), identity.admins) AS admins,
    toUInt32(identity.first_time) AS first_time_seconds,
    lower(hex(identity.creator)) AS creator,
    lower(hex(identity.factory)) AS factory,
    lower(hex(identity.transaction_to)) AS transaction_to,
    identity.program AS program,
    identity.traits AS traits,
    arrayMap(held -> (held.1, lower(hex(held.2)), held.3, toUInt32(held.4)), identity.authorities) AS authorities,
    identity.created_block AS created_block,
    identity.creation_index AS creation_index,
    identity.named_block AS named_block,
    toUInt32(identity.named_time) AS named_time_seconds,
    identity.first_block AS first_block,
    toUInt32(identity.created_time) AS created_time_seconds,
    totals.token != '' AS counted,
    totals.holders AS holders,
    totals.supply_raw AS supply_raw,
    totals.last_supply_block AS last_supply_block,
    totals.through_block AS counted_block,
    toUInt32(totals.last_time) AS moved_seconds,
    arrayMap(wallet -> lower(hex(wallet)), arraySlice(top.wallets, 1, 1)) AS largest_wallets,
    arraySlice(top.balances_raw, 1, 10) AS top_balances_raw,
    top.dead_raw AS dead_raw,
    price.price_usd AS price_usd,
    price.confidence AS price_confidence,
    price.source AS price_source,
    price.liquidity_usd AS liquidity_usd,
    price.volume_24h_usd AS volume_24h_usd,
    price.transactions_24h AS transactions_24h,
    price.price_change_1h AS price_change_1h,
    price.price_change_6h AS price_change_6h,
    price.price_change_24h AS price_change_24h,
    price.as_of_block AS priced_block,
    toUInt32(price.as_of_time) AS priced_seconds,
    beat.made.1 AS beat_hour,
    beat.made.2 AS heartbeat_score,
    beat.made.3 AS timestamp_score,
    beat.made.4 AS volume_score,
    beat.made.5 AS holders_score,
    beat.made.6 AS confidence_score,
    beat.made.7 AS weights_version,
    toUInt32(beat.made.8) AS scored_at_seconds,
    beat.made.9 AS scored_block
FROM
(
    SELECT * FROM agg_token FINAL
    PREWHERE chain_id = {chain_id:UInt32}
      AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
) AS identity
LEFT JOIN
(
    SELECT token, holders_net AS holders, supply_net_raw AS supply_raw, last_supply_block,
        through_block, last_time
    FROM agg_token_hour FINAL
    PREWHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC')
      AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
) AS totals ON totals.token = identity.token
LEFT JOIN
(
    SELECT token, wallets, balances_raw, dead_raw
    FROM agg_top_holder FINAL
    PREWHERE chain_id = {chain_id:UInt32}
      AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
) AS top ON top.token = identity.token
LEFT JOIN
(
    SELECT * FROM agg_token_price FINAL
    PREWHERE chain_id = {chain_id:UInt32}
      AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
) AS price ON price.token = identity.token
LEFT JOIN
(
    SELECT
        token,
        argMax((
            hour, score, timestamp_score, volume_score, holders_score, confidence_score, weights_version, computed_at,
            as_of_block
        ), hour) AS made
    FROM agg_heartbeat FINAL
    PREWHERE chain_id = {chain_id:UInt32}
      AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
    GROUP BY token
) AS beat ON beat.token = identity.token
SETTINGS max_threads = 1
