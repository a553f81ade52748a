-- What the chains said: raw_ and fact_ rows, and the one sum that ingestion itself maintains.
--
-- Addresses and hashes are binary strings (20 bytes on EVM chains, 32 on Solana; V4 pool ids are 32),
-- absent ones are empty. Amounts are base units. Every row names the unit of work that wrote it, so a
-- unit that is abandoned or orphaned can be removed exactly. The deduplication windows make a repeated
-- insert with the same token a no-op, which is what lets a crashed unit be finished by repeating it; rows are on disk
-- before an insert is acknowledged, because the checkpoint that vouches for them is. The index on unit_id finds a
-- unit's rows without reading the history.

CREATE TABLE raw_block
(
    chain_id UInt32,
    block_number UInt64,
    block_hash String,
    parent_hash String,
    block_time DateTime('UTC'),
    transaction_count UInt32,
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, block_number)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

-- Low-volume logs kept whole (pool creations, control changes, our registry), so that they can be decoded
-- again without a node. Transfers, swaps and liquidity changes keep every field in their fact tables.
CREATE TABLE raw_log
(
    chain_id UInt32,
    block_number UInt64,
    log_index UInt32,
    address String,
    topics Array(String),
    data String,
    transaction_hash String,
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

CREATE TABLE fact_contract_creation
(
    chain_id UInt32,
    address String,
    block_number UInt64,
    creation_index UInt32 COMMENT 'position among the creations of its block',
    block_time DateTime('UTC'),
    transaction_hash String,
    creator String COMMENT 'sender of the transaction',
    factory String COMMENT 'contract that created it; empty for a top-level creation',
    transaction_to String COMMENT 'what the transaction was sent to; empty for a top-level creation',
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, address, block_number)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

-- A reading of a token's own account of itself, at read_block. The newest reading of an address counts.
CREATE TABLE fact_token
(
    chain_id UInt32,
    address String,
    name String COMMENT 'valid UTF-8 without control characters, at most 128 characters; empty when unreadable',
    symbol String COMMENT 'likewise, at most 64 characters',
    decimals Nullable(UInt8),
    total_supply_raw Nullable(UInt256),
    owner String COMMENT 'owner(), empty when the contract has none or renounced it',
    proxy_admin String COMMENT 'EIP-1967 admin slot',
    implementation String COMMENT 'EIP-1967 implementation slot',
    read_status LowCardinality(String) COMMENT 'ok, partial or broken',
    first_block UInt64 COMMENT 'block of creation when seen, else of the first transfer seen',
    first_time DateTime('UTC'),
    read_block UInt64,
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, address, read_block)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

CREATE TABLE fact_transfer
(
    chain_id UInt32,
    token String,
    block_number UInt64 CODEC(Delta, ZSTD(1)),
    log_index UInt32,
    block_time DateTime('UTC') CODEC(Delta, ZSTD(1)),
    transaction_hash String,
    from_address String COMMENT '20 zero bytes for a mint',
    to_address String COMMENT '20 zero bytes for a burn',
    amount_raw UInt256,
    unit_id UInt64 CODEC(Delta, ZSTD(1)),
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, token, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

CREATE TABLE fact_pool
(
    chain_id UInt32,
    pool String COMMENT 'pool contract; the 32-byte pool id on V4',
    protocol LowCardinality(String) COMMENT 'uniswap_v2, uniswap_v3, uniswap_v4',
    exchange LowCardinality(String),
    factory String COMMENT 'factory, or pool manager on V4',
    token0 String COMMENT '20 zero bytes: the native coin (V4)',
    token1 String,
    fee_ppm UInt32 COMMENT 'parts per million',
    tick_spacing Int32,
    hooks String,
    block_number UInt64,
    log_index UInt32,
    block_time DateTime('UTC'),
    transaction_hash String,
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, pool)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

CREATE TABLE fact_swap
(
    chain_id UInt32,
    pool String,
    block_number UInt64 CODEC(Delta, ZSTD(1)),
    log_index UInt32,
    block_time DateTime('UTC') CODEC(Delta, ZSTD(1)),
    transaction_hash String,
    sender String,
    recipient String COMMENT 'empty on V4',
    amount0_raw Int256 COMMENT 'what the pool gained of token0; negative is what it paid',
    amount1_raw Int256,
    sqrt_price_x96 UInt256 COMMENT 'after the swap; 0 on V2',
    liquidity UInt256 COMMENT 'in range after the swap; 0 on V2',
    tick Int32,
    unit_id UInt64 CODEC(Delta, ZSTD(1)),
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, pool, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

-- States a pool announces besides swaps: V2 Sync (reserves), V3 and V4 Initialize (price).
CREATE TABLE fact_pool_state
(
    chain_id UInt32,
    pool String,
    block_number UInt64 CODEC(Delta, ZSTD(1)),
    log_index UInt32,
    block_time DateTime('UTC') CODEC(Delta, ZSTD(1)),
    reserve0_raw UInt256 COMMENT 'V2 only, else 0',
    reserve1_raw UInt256,
    sqrt_price_x96 UInt256 COMMENT 'V3 and V4 only, else 0',
    tick Int32,
    unit_id UInt64 CODEC(Delta, ZSTD(1)),
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, pool, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

-- Positions: V3 Mint and Burn, V4 ModifyLiquidity. V2 needs none: its Sync states carry the reserves.
CREATE TABLE fact_liquidity
(
    chain_id UInt32,
    pool String,
    block_number UInt64,
    log_index UInt32,
    block_time DateTime('UTC'),
    transaction_hash String,
    tick_lower Int32,
    tick_upper Int32,
    liquidity_delta Int256,
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, pool, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

CREATE TABLE fact_control
(
    chain_id UInt32,
    address String,
    block_number UInt64,
    log_index UInt32,
    block_time DateTime('UTC'),
    transaction_hash String,
    kind LowCardinality(String) COMMENT 'owner, default_admin_granted, default_admin_revoked, proxy_admin, implementation',
    previous_account String,
    account String COMMENT '20 zero bytes when renounced',
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, address, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

CREATE TABLE fact_registry_event
(
    chain_id UInt32,
    block_number UInt64,
    log_index UInt32,
    block_hash String,
    block_time DateTime('UTC'),
    transaction_hash String,
    registry String,
    kind LowCardinality(String) COMMENT 'registered, released, expired, manager, maintainer, metadata, canonical_peer',
    token_id UInt64,
    symbol String COMMENT 'registered, released, expired',
    owner String COMMENT 'registered, released, expired',
    token_address String COMMENT 'registered',
    fee_wei UInt256 COMMENT 'registered',
    with_receipt UInt8 COMMENT 'registered: minted free with a signed receipt',
    account String COMMENT 'manager, maintainer',
    enabled UInt8 COMMENT 'manager, maintainer: given or taken',
    metadata_cid String COMMENT 'metadata',
    peer_chain_id UInt64 COMMENT 'canonical_peer',
    peer_token_id UInt64 COMMENT 'canonical_peer',
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

-- Balance changes per wallet and day, summed by merges. A balance is the sum of a wallet's rows; an orphaned
-- unit is taken back by the same amounts with the opposite sign. The zero address has no balance. Rows of an empty
-- token are no balances: one says of each unit (its number, big-endian, in wallet) whether its sums are in (1) or not (0).
CREATE TABLE agg_balance_day
(
    chain_id UInt32,
    token String,
    wallet String,
    day Date,
    delta_raw Int256
)
ENGINE = SummingMergeTree PARTITION BY chain_id ORDER BY (chain_id, token, wallet, day)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, index_granularity = 1024;

-- What each change (a published unit or the taking back of one) touched, and from when on: derived tables are
-- brought up to date from this, so their cost follows the change and not the history. Change ids come from the
-- same sequence as unit ids and grow within a chain.
CREATE TABLE fact_change
(
    chain_id UInt32,
    change_id UInt64,
    subject LowCardinality(String) COMMENT 'token (balances, supply), pool (swaps, states, liquidity), control, registry, metadata',
    key String COMMENT 'token or pool address; registry: empty',
    from_block UInt64 COMMENT 'first block affected',
    from_time DateTime('UTC')
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, change_id, subject, key)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;
