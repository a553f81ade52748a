CREATE TABLE IF NOT EXISTS agg_token_local ON CLUSTER `main`
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version) PARTITION BY chain_id ORDER BY (chain_id, token)
SETTINGS replicated_deduplication_window = 0;
CREATE TABLE IF NOT EXISTS agg_token ON CLUSTER `main` AS agg_token_local
ENGINE = Distributed('main', 'regalia', 'agg_token_local', cityHash64(chain_id, token));
