-- Filters of the marts by wallet: each granule says which wallets it may hold. Inserts do not build these indexes, only
-- merges do (warehouse/clickhouse.py), so parts that were never merged are read in full
-- (docs/decisions/0051-storage-by-month.md).
ALTER TABLE fact_transfer
    ADD INDEX IF NOT EXISTS from_text
        multiIf(empty(from_address), '', chain_id = 900900, base58Encode(from_address), concat('0x', lower(hex(from_address))))
        TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS to_text
        multiIf(empty(to_address), '', chain_id = 900900, base58Encode(to_address), concat('0x', lower(hex(to_address))))
        TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE agg_balance_day
    ADD INDEX IF NOT EXISTS holder_text
        multiIf(empty(wallet), '', chain_id = 900900, base58Encode(wallet), concat('0x', lower(hex(wallet))))
        TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE fact_transfer MATERIALIZE INDEX from_text;

ALTER TABLE fact_transfer MATERIALIZE INDEX to_text;

ALTER TABLE agg_balance_day MATERIALIZE INDEX holder_text;
