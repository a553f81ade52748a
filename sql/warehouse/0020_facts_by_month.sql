-- The three largest tables by month within a chain, so that a query with a time reads its months, and so that a month
-- can be dropped. Their order stays: a token's or a pool's events are one range in each month. The indexes narrow a
-- month to the parts and granules of a day or of some blocks. Granules are small, because a rare token costs one in
-- every month. A unit lies in one month (indexer/months.py), so an insert is one part and its token holds for all of it
-- (docs/decisions/0051-storage-by-month.md).
--
-- Each statement copies a table and puts the copy in its place when it is complete: repeating it copies again.

CREATE OR REPLACE TABLE fact_transfer
(
    chain_id UInt32,
    token String,
    block_number UInt64 CODEC(Delta, ZSTD(1)),
    log_index UInt32 COMMENT 'on Solana: transaction index * 4096 + position among the transfers of the transaction',
    block_time DateTime('UTC') CODEC(Delta, ZSTD(1)),
    transaction_hash String COMMENT 'on Solana the first signature, 64 bytes',
    from_address String COMMENT '20 zero bytes for a mint, on every kind of chain; on Solana the owner of a token account',
    to_address String COMMENT '20 zero bytes for a burn',
    amount_raw UInt256,
    unit_id UInt64 CODEC(Delta, ZSTD(1)),
    INDEX unit unit_id TYPE minmax GRANULARITY 1,
    INDEX token_text
        multiIf(empty(token), '', chain_id = 900900, base58Encode(token), concat('0x', lower(hex(token))))
        TYPE minmax GRANULARITY 1,
    INDEX block block_number TYPE minmax GRANULARITY 1,
    INDEX time block_time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY (chain_id, toYYYYMM(block_time))
ORDER BY (chain_id, token, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, index_granularity = 2048
AS SELECT * FROM fact_transfer
SETTINGS max_partitions_per_insert_block = 0, max_execution_time = 0;

CREATE OR REPLACE TABLE fact_swap
(
    chain_id UInt32,
    pool String,
    block_number UInt64 CODEC(Delta, ZSTD(1)),
    log_index UInt32,
    block_time DateTime('UTC') CODEC(Delta, ZSTD(1)),
    transaction_hash String,
    sender String COMMENT 'on Solana the fee payer',
    recipient String COMMENT 'empty on V4 and Solana',
    amount0_raw Int256 COMMENT 'what the pool gained of token0; negative is what it paid',
    amount1_raw Int256,
    sqrt_price_x96 UInt256 COMMENT 'after the swap; 0 on V2 and where it is unknown',
    liquidity UInt256 COMMENT 'in range after the swap; 0 on V2',
    tick Int32,
    unit_id UInt64 CODEC(Delta, ZSTD(1)),
    INDEX unit unit_id TYPE minmax GRANULARITY 1,
    INDEX pool_text
        multiIf(empty(pool), '', chain_id = 900900, base58Encode(pool), concat('0x', lower(hex(pool))))
        TYPE minmax GRANULARITY 1,
    INDEX block block_number TYPE minmax GRANULARITY 1,
    INDEX time block_time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY (chain_id, toYYYYMM(block_time))
ORDER BY (chain_id, pool, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, index_granularity = 2048
AS SELECT * FROM fact_swap
SETTINGS max_partitions_per_insert_block = 0, max_execution_time = 0;

CREATE OR REPLACE TABLE fact_pool_state
(
    chain_id UInt32,
    pool String,
    block_number UInt64 CODEC(Delta, ZSTD(1)),
    log_index UInt32,
    block_time DateTime('UTC') CODEC(Delta, ZSTD(1)),
    reserve0_raw UInt256 COMMENT 'V2 and constant product, else 0',
    reserve1_raw UInt256,
    sqrt_price_x96 UInt256 COMMENT 'V3, V4, concentrated and bonding curve, else 0; with reserves of 0: the price is unknown from here on',
    tick Int32,
    unit_id UInt64 CODEC(Delta, ZSTD(1)),
    INDEX unit unit_id TYPE minmax GRANULARITY 1,
    INDEX block block_number TYPE minmax GRANULARITY 1,
    INDEX time block_time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY (chain_id, toYYYYMM(block_time))
ORDER BY (chain_id, pool, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, index_granularity = 2048
AS SELECT * FROM fact_pool_state
SETTINGS max_partitions_per_insert_block = 0, max_execution_time = 0;

-- Blocks are few and in the order of their times: an index on the time is enough.
ALTER TABLE raw_block ADD INDEX IF NOT EXISTS time block_time TYPE minmax GRANULARITY 1;

ALTER TABLE raw_block MATERIALIZE INDEX time;
