-- Dollar history of tokens (docs/decisions/0050-dollar-history.md).

-- Prices of tokens in buckets of five minutes, an hour and a day in which a believed pool had events. Prices are USD of
-- one base unit, so they do not depend on when a token's decimals became known; null is unknown.
CREATE TABLE agg_token_candle
(
    chain_id UInt32,
    token String,
    seconds UInt32 COMMENT 'length of the bucket: 300, 3600 or 86400',
    start DateTime('UTC'),
    open Nullable(Decimal(76, 54)) COMMENT 'the price before the bucket: the close of the last one with a price',
    high Nullable(Decimal(76, 54)) COMMENT 'highest price of five minutes in the bucket, or the open',
    low Nullable(Decimal(76, 54)),
    close Nullable(Decimal(76, 54)) COMMENT 'price of the last five minutes with one',
    volume_usd Nullable(Decimal(38, 6)) COMMENT 'quote side of swaps in pools that count; null without such a pool',
    liquidity_usd Nullable(Decimal(38, 6)) COMMENT 'of pools that count, in the hour before the last five minutes',
    trades UInt64 COMMENT 'swaps in believed pools',
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY (chain_id, toYYYYMM(start)) ORDER BY (chain_id, token, seconds, start)
SETTINGS index_granularity = 1024;

ALTER TABLE agg_token_candle
    ADD INDEX IF NOT EXISTS token_text
    multiIf(empty(token), '', chain_id = 900900, base58Encode(token), concat('0x', lower(hex(token))))
    TYPE minmax GRANULARITY 1;

ALTER TABLE agg_token_candle ADD INDEX IF NOT EXISTS start start TYPE minmax GRANULARITY 1;

CREATE VIEW published_agg_token_candle AS
SELECT * EXCEPT (deleted, version) FROM agg_token_candle FINAL WHERE deleted = 0;

-- What the ten largest holders of a token had at the end of each day with transfers of it.
CREATE TABLE agg_top_day
(
    chain_id UInt32,
    token String,
    day Date,
    top10_raw Int256 COMMENT 'balances of the ten largest holders',
    held_raw Int256 COMMENT 'balances of all holders',
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, token, day)
SETTINGS index_granularity = 1024;

ALTER TABLE agg_top_day
    ADD INDEX IF NOT EXISTS token_text
    multiIf(empty(token), '', chain_id = 900900, base58Encode(token), concat('0x', lower(hex(token))))
    TYPE minmax GRANULARITY 1;

CREATE VIEW published_agg_top_day AS SELECT * EXCEPT (deleted, version) FROM agg_top_day FINAL WHERE deleted = 0;
