-- Working tables by chain: runs of several chains use them at once, each its own partition. They hold nothing between the
-- steps of a run, so they are made anew.
DROP TABLE IF EXISTS work_token;

CREATE TABLE work_token
(
    chain_id UInt32,
    token String,
    after_block Int64,
    from_block UInt64
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, token);

DROP TABLE IF EXISTS work_move;

CREATE TABLE work_move
(
    chain_id UInt32,
    token String,
    wallet String,
    hour DateTime('UTC'),
    delta_raw Int256,
    sent Int64,
    last_time DateTime('UTC'),
    last_block UInt64
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, token, wallet, hour);

DROP TABLE IF EXISTS work_wallet;

CREATE TABLE work_wallet
(
    chain_id UInt32,
    token String,
    wallet String,
    balance_raw Int256,
    before_raw Int256,
    day_start_raw Int256
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, token, wallet);

DROP TABLE IF EXISTS work_pool;

CREATE TABLE work_pool
(
    chain_id UInt32,
    pool String,
    from_bucket DateTime('UTC')
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, pool);

DROP TABLE IF EXISTS work_pool_hour;

CREATE TABLE work_pool_hour
(
    chain_id UInt32,
    pool String,
    hour DateTime('UTC')
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, pool, hour);

DROP TABLE IF EXISTS work_key;

CREATE TABLE work_key
(
    chain_id UInt32,
    key String
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, key);
