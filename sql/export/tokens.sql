-- The row of each token that counts at the version that the export began with, as published_serve_token has it for the
-- newest. The order is the key's, backwards: the newest comes first.
WITH (raw -> multiIf(raw = '', '', {chain_id:UInt32} = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of
SELECT
    text_of(current.address) AS address,
    symbol,
    symbol_key,
    symbol_folded,
    name,
    toString(name_source) AS name_source,
    arrayStringConcat(sources, ',') AS sources,
    decimals,
    toString(current.total_supply_raw) AS total_supply_raw,
    holders,
    accurateCastOrNull(top10_share, 'Decimal(18, 9)') AS top10_share,
    accurateCastOrNull(current.price_usd, 'Decimal(38, 24)') AS price_usd,
    price_confidence,
    toString(price_source) AS price_source,
    accurateCastOrNull(current.market_cap_usd, 'Decimal(38, 6)') AS market_cap_usd,
    accurateCastOrNull(current.fdv_usd, 'Decimal(38, 6)') AS fdv_usd,
    accurateCastOrNull(current.volume_24h_usd, 'Decimal(38, 6)') AS volume_24h_usd,
    accurateCastOrNull(current.liquidity_usd, 'Decimal(38, 6)') AS liquidity_usd,
    price_change_1h,
    price_change_6h,
    price_change_24h,
    transactions_24h,
    market_score,
    token_rank,
    heartbeat_score,
    deployed_at,
    deployed_block,
    text_of(current.deployer) AS deployer,
    first_seen_at,
    toString(program) AS program,
    text_of(current.mint_authority) AS mint_authority,
    text_of(current.freeze_authority) AS freeze_authority,
    text_of(current.update_authority) AS update_authority,
    arrayStringConcat(trust_flags, ',') AS trust_flags,
    is_copy,
    copy_of_chain_id,
    text_of(current.copy_of_address) AS copy_of_address,
    toString(copy_rule) AS copy_rule,
    registration_token_id,
    text_of(current.registration_owner) AS registration_owner,
    registered_at,
    registration_expired,
    logo_url,
    website,
    as_of_block,
    as_of_time
FROM
(
    SELECT *
    FROM serve_token
    WHERE chain_id = {chain_id:UInt32} AND version <= {version:UInt64}
    ORDER BY symbol_key DESC, chain_id DESC, address DESC, version DESC
    LIMIT 1 BY symbol_key, chain_id, address
) AS current
WHERE deleted = 0
