-- Positions of Solana's concentrated pools: an instruction that changes one names the position, not its ticks.
CREATE TABLE IF NOT EXISTS fact_pool_position
(
    chain_id UInt32,
    position String,
    pool String,
    tick_lower Int32,
    tick_upper Int32,
    liquidity UInt256 COMMENT 'of the position after the change',
    block_number UInt64,
    log_index UInt32,
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, position, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

ALTER TABLE fact_pool
    COMMENT COLUMN pool 'pool contract or account; the 32-byte pool id on V4',
    COMMENT COLUMN protocol 'uniswap_v2, uniswap_v3, uniswap_v4; on Solana constant_product, concentrated, bonding_curve',
    COMMENT COLUMN factory 'factory, or pool manager on V4; on Solana the program',
    COMMENT COLUMN token0 '20 zero bytes: the native coin (V4); on Solana the lower of the two mints';

ALTER TABLE fact_swap
    COMMENT COLUMN sender 'on Solana the fee payer',
    COMMENT COLUMN recipient 'empty on V4 and Solana',
    COMMENT COLUMN sqrt_price_x96 'after the swap; 0 on V2 and where it is unknown';

ALTER TABLE fact_pool_state
    COMMENT COLUMN reserve0_raw 'V2 and constant product, else 0',
    COMMENT COLUMN sqrt_price_x96 'V3, V4, concentrated and bonding curve, else 0; with reserves of 0: the price is unknown from here on';

CREATE VIEW IF NOT EXISTS published_fact_pool_position AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_pool_position
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));
