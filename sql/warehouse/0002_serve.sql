-- What the API reads. A publication is a version number; rows are written under the next version and become
-- visible, all at once, when serve_publication names it. The row of a key that counts at version V is the one
-- with the highest version <= V (deleted = 1 hides the key). Superseded rows are kept for ten minutes, so a
-- cursor can go on reading the version it began with.

CREATE TABLE serve_publication
(
    version UInt64,
    published_at DateTime64(3, 'UTC'),
    as_of_blocks Map(UInt32, UInt64) COMMENT 'chain id to the last block whose rows are in this version'
)
ENGINE = MergeTree ORDER BY version;

CREATE TABLE serve_token
(
    symbol_key String COMMENT 'symbol upper-cased; what a search matches',
    chain_id UInt32,
    address String,
    version UInt64,
    deleted UInt8,
    symbol String,
    symbol_folded String COMMENT 'symbol_key with confusable characters folded together',
    name String,
    name_source LowCardinality(String),
    sources Array(LowCardinality(String)) COMMENT 'of registry, indexer, market: the first is the primary one',
    decimals Nullable(UInt8),
    total_supply_raw Nullable(UInt256),
    holders Nullable(UInt64),
    top10_share Nullable(Decimal(18, 9)) COMMENT 'of the supply, 0 to 1',
    price_usd Nullable(Decimal(76, 36)),
    price_confidence Nullable(Decimal(4, 3)),
    price_source LowCardinality(String),
    market_cap_usd Nullable(Decimal(76, 6)),
    fdv_usd Nullable(Decimal(76, 6)),
    volume_24h_usd Nullable(Decimal(76, 6)),
    liquidity_usd Nullable(Decimal(76, 6)),
    price_change_1h Nullable(Decimal(38, 6)) COMMENT 'percent',
    price_change_6h Nullable(Decimal(38, 6)),
    price_change_24h Nullable(Decimal(38, 6)),
    transactions_24h Nullable(UInt64),
    market_score Decimal(18, 9) COMMENT '0 to 1: 40 market cap, 30 volume, 30 liquidity',
    token_rank Nullable(UInt64) COMMENT '1 is the highest market score over all chains',
    heartbeat_score Nullable(Decimal(5, 2)),
    deployed_at Nullable(DateTime('UTC')),
    deployed_block Nullable(UInt64),
    deployer String,
    first_seen_at DateTime('UTC'),
    is_copy UInt8,
    copy_of_chain_id UInt32,
    copy_of_address String,
    copy_rule LowCardinality(String) COMMENT 'empty, registered, older_and_larger, major',
    registration_token_id Nullable(UInt64),
    registration_owner String,
    registration_manager String,
    registry_address String,
    registered_at Nullable(DateTime('UTC')),
    registration_expired UInt8,
    verification_method LowCardinality(String),
    verified_at Nullable(DateTime('UTC')),
    made_by_factory UInt8,
    logo_url String,
    website String,
    twitter String,
    telegram String,
    discord String,
    as_of_block UInt64,
    as_of_time DateTime('UTC'),
    ranking FixedString(124) MATERIALIZED toFixedString(concat(
        toFixedString(address, 32), toFixedString(copy_of_address, 32),
        toFixedString(if(made_by_factory, registration_owner, ''), 20), reinterpretAsFixedString(version),
        reinterpretAsFixedString(toInt64(market_score * 1000000000)), reinterpretAsFixedString(chain_id),
        reinterpretAsFixedString(copy_of_chain_id),
        reinterpretAsFixedString(toUInt32(ifNull(registered_at, toDateTime(0, 'UTC')))),
        reinterpretAsFixedString(toInt32(ifNull(heartbeat_score * 100, -1))),
        reinterpretAsFixedString(deleted), reinterpretAsFixedString(is_copy),
        reinterpretAsFixedString(toUInt8(registration_token_id IS NOT NULL AND NOT registration_expired)),
        reinterpretAsFixedString(toUInt8(length(address))), toFixedString('', 4)), 124)
        COMMENT 'what ranking asks of a row, as one record (warehouse/readers/search.py): the same ground',
    document String MATERIALIZED toJSONString(CAST(
        (
            symbol, name, name_source, sources, decimals, holders, toString(price_usd), toString(market_cap_usd),
            toString(fdv_usd), toString(volume_24h_usd), toString(liquidity_usd), toString(price_change_24h),
            toString(heartbeat_score), token_rank, is_copy, copy_of_chain_id, lower(hex(copy_of_address)), copy_rule,
            registration_token_id, lower(hex(registration_owner)), lower(hex(registration_manager)),
            lower(hex(registry_address)), toUnixTimestamp(registered_at), registration_expired, verification_method,
            toUnixTimestamp(verified_at), logo_url, website, twitter, telegram, discord, as_of_block,
            toUnixTimestamp(as_of_time), made_by_factory
        ),
        'Tuple(symbol String, name String, name_source String, sources Array(String), decimals Nullable(UInt8),
            holders Nullable(UInt64), price_usd Nullable(String), market_cap_usd Nullable(String),
            fdv_usd Nullable(String), volume_24h_usd Nullable(String), liquidity_usd Nullable(String),
            price_change_24h Nullable(String), heartbeat_score Nullable(String), token_rank Nullable(UInt64),
            is_copy UInt8, copy_of_chain_id UInt32, copy_of_address String, copy_rule String,
            registration_token_id Nullable(UInt64), registration_owner String, registration_manager String,
            registry_address String, registered_at Nullable(UInt32), registration_expired UInt8,
            verification_method String, verified_at Nullable(UInt32), logo_url String, website String,
            twitter String, telegram String, discord String, as_of_block UInt64, as_of_time UInt32,
            made_by_factory UInt8)'))
        COMMENT 'what a search result shows of the row; reading one column costs a tenth of reading forty'
)
ENGINE = MergeTree ORDER BY (symbol_key, chain_id, address, version)
SETTINGS index_granularity = 128;

-- Each distinct symbol, with what fuzzy expansion ranks by.
CREATE TABLE serve_symbol
(
    symbol_key String,
    version UInt64,
    deleted UInt8,
    symbol_folded String,
    token_count UInt32,
    best_market_score Decimal(18, 9)
)
ENGINE = MergeTree ORDER BY (symbol_key, version)
SETTINGS index_granularity = 512;

-- Deletion neighbourhood: each symbol under every form left by removing up to two characters (one below seven),
-- so that symbols within an edit distance are found by key instead of by comparing with all.
-- form is made of symbol_folded, which also finds confusable spellings at no edits.
CREATE TABLE serve_symbol_form
(
    form String,
    symbol_key String
)
ENGINE = ReplacingMergeTree ORDER BY (form, symbol_key)
SETTINGS index_granularity = 512;

-- Which wallet controls which token, and how.
CREATE TABLE serve_provenance
(
    wallet String,
    chain_id UInt32,
    token String,
    method LowCardinality(String) COMMENT 'deployer, owner, admin, majority_holder',
    version UInt64,
    deleted UInt8,
    symbol String,
    name String,
    is_copy UInt8,
    as_of_block UInt64
)
ENGINE = MergeTree ORDER BY (wallet, chain_id, token, method, version)
SETTINGS index_granularity = 512;

-- Heartbeats by hour, with the inputs that made them: any of them recomputes to the same figure.
CREATE TABLE agg_heartbeat
(
    chain_id UInt32,
    token String,
    hour DateTime('UTC'),
    symbol_key String,
    score Decimal(5, 2),
    timestamp_score Decimal(5, 2) COMMENT 'activity recency',
    volume_score Decimal(5, 2),
    holders_score Decimal(5, 2),
    confidence_score Decimal(5, 2),
    weights_version UInt16,
    inputs String COMMENT 'JSON',
    as_of_block UInt64,
    computed_at DateTime('UTC')
)
ENGINE = ReplacingMergeTree(computed_at) PARTITION BY toYYYYMM(hour) ORDER BY (chain_id, token, hour)
SETTINGS index_granularity = 1024;
