-- What the copy rule measures (docs/decisions/0033-copies-by-weight.md): the depth of pools by the hour, the quotes of that
-- hour, and from both the weight of every token. Only complete hours of chain time have rows.

-- A row holds until the pool's next one: pools with events in an hour have a row for it and for the hour after it, and
-- every pool with depth has one for the first hour of each day (UTC). So the rows of a day are enough to know any hour
-- of it. Only pools that can price a token are here: known exchanges, no hooks, a quote asset on one side.
CREATE TABLE agg_pool_depth
(
    chain_id UInt32,
    hour DateTime('UTC'),
    pool String,
    state Tuple(reserve0_raw UInt256, reserve1_raw UInt256, sqrt_price_x96 UInt256)
        COMMENT 'time-weighted median state of the hour',
    amount0_raw UInt256 COMMENT 'token0 that the pool held for at least six sevenths of the hour',
    amount1_raw UInt256,
    depth0_raw UInt256 COMMENT 'depth of token1 in token0: the smaller of both sides, at the median state',
    depth1_raw UInt256 COMMENT 'depth of token0 in token1',
    moved UInt8 COMMENT 'the pool had events in this hour',
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, hour, pool)
SETTINGS index_granularity = 1024;

-- What a quote asset was worth in an hour. An asset without a row was not believed.
CREATE TABLE agg_quote_hour
(
    chain_id UInt32,
    hour DateTime('UTC'),
    quote String,
    usd Decimal(38, 18) COMMENT 'of one whole unit',
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, hour, quote);

-- Weight of each token by the hour. An absent hour is zero in everything. Rows go on for 30 days after the last hour
-- with depth, so the row of an hour says all that the copy rule asks of that hour.
CREATE TABLE agg_token_weight
(
    chain_id UInt32,
    token String,
    hour DateTime('UTC'),
    weight_usd Decimal(38, 6) COMMENT 'depth beyond the minimum, over the pools that count, in this hour',
    held_usd Decimal(38, 6) COMMENT 'window weight: held for six sevenths of the week that ends with this hour',
    established_usd Decimal(38, 6) COMMENT 'highest window weight of the 30 days that end with this hour',
    since_hour Nullable(DateTime('UTC'))
        COMMENT 'first hour of the present run of hours with weight; null when the last one is too long ago',
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY (chain_id, toYYYYMM(hour)) ORDER BY (chain_id, token, hour)
SETTINGS index_granularity = 1024;

-- Hours of pools whose positions a pass evaluates.
CREATE TABLE work_pool_hour
(
    pool String,
    hour DateTime('UTC')
)
ENGINE = MergeTree ORDER BY (pool, hour);

-- Where a token's creation stands within its block, which orders tokens that are otherwise equally old, and who made it.
ALTER TABLE agg_token
    ADD COLUMN IF NOT EXISTS creation_index Nullable(UInt32) COMMENT 'position among the creations of its block'
    AFTER created_time;

ALTER TABLE serve_token
    ADD COLUMN IF NOT EXISTS deployed_index Nullable(UInt32) COMMENT 'position among the creations of its block'
    AFTER deployed_block;

ALTER TABLE serve_token
    ADD COLUMN IF NOT EXISTS deployed_directly UInt8
    COMMENT 'deployer is the account that signed the creating transaction, without a relayer or a factory'
    AFTER deployer;

ALTER TABLE serve_token
    ADD COLUMN IF NOT EXISTS copy_unknown LowCardinality(String)
    COMMENT 'why the copy rule cannot decide: empty, creation_unknown, depth_unknown'
    AFTER copy_rule;

ALTER TABLE serve_token
    ADD COLUMN IF NOT EXISTS copy_until Nullable(DateTime('UTC'))
    COMMENT 'when the verdict ends, of a copy by an earlier hour only'
    AFTER copy_unknown;

ALTER TABLE serve_token
    MODIFY COLUMN copy_rule LowCardinality(String) COMMENT 'empty, operator, major, registered, senior';

CREATE OR REPLACE VIEW published_agg_token AS SELECT * EXCEPT (deleted, version) FROM agg_token FINAL WHERE deleted = 0;

CREATE VIEW published_agg_pool_depth AS
SELECT * EXCEPT (moved, deleted, version) FROM agg_pool_depth FINAL WHERE deleted = 0;

CREATE VIEW published_agg_quote_hour AS
SELECT * EXCEPT (deleted, version) FROM agg_quote_hour FINAL WHERE deleted = 0;

CREATE VIEW published_agg_token_weight AS
SELECT * EXCEPT (deleted, version) FROM agg_token_weight FINAL WHERE deleted = 0;

CREATE OR REPLACE VIEW published_serve_token AS
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT * EXCEPT (version, deleted)
FROM
(
    SELECT *
    FROM serve_token
    WHERE version <= published
    ORDER BY symbol_key DESC, chain_id DESC, address DESC, version DESC
    LIMIT 1 BY symbol_key, chain_id, address
)
WHERE deleted = 0;
