-- What happens in the vaults of deals: swaps of an old token, redemptions after a buyout.
CREATE TABLE IF NOT EXISTS fact_vault_event
(
    chain_id UInt32,
    block_number UInt64,
    log_index UInt32,
    block_time DateTime('UTC'),
    transaction_hash String,
    vaults String,
    kind LowCardinality(String) COMMENT 'opened, swapped, redeemed, closed',
    deal String COMMENT '32 bytes that name the deal',
    vault_id String COMMENT 'hash of the terms of the vault',
    account String COMMENT 'opened, closed: the depositor; swapped, redeemed: who was paid',
    given_raw UInt256 COMMENT 'opened: the deposit; swapped: old tokens; redeemed: what the account held at the snapshot',
    paid_raw UInt256 COMMENT 'swapped: new tokens; redeemed: of the currency; closed: returned to the depositor',
    unit_id UInt64,
    INDEX unit unit_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY chain_id ORDER BY (chain_id, vault_id, block_number, log_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1;

CREATE VIEW IF NOT EXISTS published_fact_vault_event AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_vault_event
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));
