-- What the pipelines keep between the facts and what is served. Every table here is recomputed by key (the row with
-- the highest version counts: read with FINAL), so a pass that is repeated changes nothing. version is the number of
-- the derive pass that wrote the row.

-- A token's identity: its newest reading, its creation, who controls it.
CREATE TABLE agg_token
(
    chain_id UInt32,
    token String,
    name String,
    symbol String,
    decimals Nullable(UInt8),
    total_supply_raw Nullable(UInt256) COMMENT 'as the token says, at read_block',
    owner String,
    admins Array(String) COMMENT 'holders of the default admin role and the proxy admin, sorted',
    read_status LowCardinality(String),
    read_block UInt64,
    first_block UInt64,
    first_time DateTime('UTC'),
    creator String COMMENT 'sender of the creating transaction; empty when the creation was not seen',
    factory String,
    transaction_to String COMMENT 'what the creating transaction was sent to',
    created_block Nullable(UInt64),
    created_time Nullable(DateTime('UTC')),
    deleted UInt8 COMMENT 'its only reading was orphaned',
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, token);

-- Activity and holders by hour. The row of hour 0 holds the totals, and through_block says up to which block they go:
-- the next pass adds only what lies above, or starts over when a change reaches below.
CREATE TABLE agg_token_hour
(
    chain_id UInt32,
    token String,
    hour DateTime('UTC'),
    transfers Int64,
    holders_net Int64 COMMENT 'wallets that came to hold minus wallets that ceased to',
    supply_net_raw Int256 COMMENT 'minted minus burned',
    last_time DateTime('UTC') COMMENT 'of the last transfer',
    last_supply_block UInt64 COMMENT 'of the last mint or burn',
    through_block UInt64,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, token, hour)
SETTINGS index_granularity = 1024;

-- Wallets that held nothing when the day began and something when it ended, and the reverse.
CREATE TABLE agg_holder_day
(
    chain_id UInt32,
    token String,
    day Date,
    entering Int64,
    leaving Int64,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, token, day)
SETTINGS index_granularity = 1024;

-- The largest holders, at most 64. No wallet left out holds more than floor_raw (0: none was left out), so a pass
-- needs only these and the wallets it touched, until fewer than ten stay at or above the floor.
CREATE TABLE agg_top_holder
(
    chain_id UInt32,
    token String,
    wallets Array(String) COMMENT 'by balance, largest first',
    balances_raw Array(Int256),
    floor_raw Int256,
    dead_raw Int256 COMMENT 'what the dead address holds',
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, token)
SETTINGS index_granularity = 256;

-- Five-minute buckets of a pool that had events in them; between buckets the last close holds on.
CREATE TABLE agg_pool_candle
(
    chain_id UInt32,
    pool String,
    bucket DateTime('UTC'),
    has_open UInt8 COMMENT 'the pool had a state before this bucket',
    open Tuple(reserve0_raw UInt256, reserve1_raw UInt256, sqrt_price_x96 UInt256),
    typical Tuple(reserve0_raw UInt256, reserve1_raw UInt256, sqrt_price_x96 UInt256)
        COMMENT 'time-weighted median state: a state that held for less than half the bucket cannot set it',
    close Tuple(reserve0_raw UInt256, reserve1_raw UInt256, sqrt_price_x96 UInt256),
    close_liquidity UInt256,
    close_tick Int32,
    volume0_raw UInt256 COMMENT 'token0 that changed hands',
    volume1_raw UInt256,
    swaps UInt32,
    last_time DateTime('UTC'),
    deleted UInt8 COMMENT 'all its events were orphaned',
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, pool, bucket)
SETTINGS index_granularity = 1024;

-- What each pool holds, at its time-weighted median state of the last minutes.
CREATE TABLE agg_pool_liquidity
(
    chain_id UInt32,
    pool String,
    state Tuple(reserve0_raw UInt256, reserve1_raw UInt256, sqrt_price_x96 UInt256),
    amount0_raw UInt256,
    amount1_raw UInt256,
    last_time DateTime('UTC') COMMENT 'of the last event',
    settled UInt8 COMMENT 'no event within the window any more: time alone cannot change it',
    deleted UInt8,
    as_of_block UInt64,
    as_of_time DateTime('UTC'),
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, pool);

-- Market figures of a token; null is unknown.
CREATE TABLE agg_token_price
(
    chain_id UInt32,
    token String,
    price_usd Nullable(Decimal(76, 36)),
    confidence Nullable(Decimal(4, 3)),
    source LowCardinality(String),
    pools UInt32 COMMENT 'that the price rests on',
    liquidity_usd Nullable(Decimal(76, 6)),
    volume_24h_usd Nullable(Decimal(76, 6)),
    transactions_24h Nullable(UInt64),
    price_change_1h Nullable(Decimal(38, 6)),
    price_change_6h Nullable(Decimal(38, 6)),
    price_change_24h Nullable(Decimal(38, 6)),
    last_trade_time DateTime('UTC'),
    as_of_block UInt64,
    as_of_time DateTime('UTC'),
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, token);

-- Tokens whose search document a pass asks to be looked at again.
CREATE TABLE agg_document_request
(
    version UInt64,
    chain_id UInt32,
    token String,
    cause LowCardinality(String)
)
ENGINE = MergeTree ORDER BY (version, chain_id, token);

-- Working sets of the pass that runs; emptied when the next begins.
CREATE TABLE work_token
(
    token String,
    after_block Int64 COMMENT 'transfers above it are new; -1 starts over',
    from_block UInt64
)
ENGINE = MergeTree ORDER BY token;

CREATE TABLE work_move
(
    token String,
    wallet String,
    hour DateTime('UTC'),
    delta_raw Int256,
    sent Int64,
    last_time DateTime('UTC'),
    last_block UInt64
)
ENGINE = MergeTree ORDER BY (token, wallet, hour);

CREATE TABLE work_wallet
(
    token String,
    wallet String,
    balance_raw Int256 COMMENT 'now',
    before_raw Int256 COMMENT 'before the new transfers',
    day_start_raw Int256 COMMENT 'when the day of the first new transfer began'
)
ENGINE = MergeTree ORDER BY (token, wallet);

CREATE TABLE work_pool
(
    pool String,
    from_bucket DateTime('UTC')
)
ENGINE = MergeTree ORDER BY pool;

CREATE TABLE work_key
(
    key String
)
ENGINE = MergeTree ORDER BY key;

-- What serve_provenance says of a token, by token: what the next pass compares with.
CREATE TABLE agg_provenance
(
    chain_id UInt32,
    token String,
    controls Array(Tuple(wallet String, method String)) COMMENT 'sorted',
    symbol String,
    name String,
    is_copy UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, token);
