-- Who controls the requested tokens, and the other inputs of their provenance.
SELECT
    lower(hex(identity.token)) AS token,
    identity.deleted AS deleted,
    identity.name AS name,
    identity.symbol AS symbol,
    lower(hex(identity.owner)) AS owner,
    arrayMap(admin -> lower(hex(admin)), identity.admins) AS admins,
    lower(hex(identity.creator)) AS creator,
    lower(hex(identity.factory)) AS factory,
    lower(hex(identity.transaction_to)) AS transaction_to,
    identity.decimals AS decimals,
    identity.program AS program,
    identity.traits AS traits,
    arrayMap(held -> (held.1, lower(hex(held.2)), held.3, toUInt32(held.4)), identity.authorities) AS authorities,
    identity.created_block AS created_block,
    identity.read_block AS read_block,
    identity.total_supply_raw AS reading_supply_raw,
    totals.supply_raw AS supply_raw,
    totals.last_supply_block AS last_supply_block,
    arrayMap(wallet -> lower(hex(wallet)), arraySlice(top.wallets, 1, 1)) AS largest_wallets,
    arraySlice(top.balances_raw, 1, 1) AS top_balances_raw
FROM
(
    SELECT * FROM agg_token FINAL
    PREWHERE chain_id = {chain_id:UInt32}
      AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
) AS identity
LEFT JOIN
(
    SELECT token, supply_net_raw AS supply_raw, last_supply_block
    FROM agg_token_hour FINAL
    PREWHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC')
      AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
) AS totals ON totals.token = identity.token
LEFT JOIN
(
    SELECT token, wallets, balances_raw FROM agg_top_holder FINAL
    PREWHERE chain_id = {chain_id:UInt32}
      AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
) AS top ON top.token = identity.token
SETTINGS max_threads = 1
