-- What the marts read besides the published tables (docs/decisions/0049-marts.md).

-- The facts of each chain that its rows do not repeat: written by its indexer when it starts.
CREATE TABLE chain_config
(
    chain_id UInt32,
    chain String COMMENT 'key, as in the chains file',
    caip2 String COMMENT 'CAIP-2 identifier, such as eip155:8453',
    native_symbol String,
    native_decimals UInt8,
    quotes Array(String) COMMENT 'what prices rest on: stablecoins, the most trusted first, then the native coin under each address',
    quote_decimals Array(UInt8) COMMENT 'of each of the quotes',
    factories Array(String) COMMENT 'of the exchanges whose pools are believed',
    version UInt64 COMMENT 'the row with the highest one counts: milliseconds since 1970'
)
ENGINE = ReplacingMergeTree(version) ORDER BY chain_id
SETTINGS fsync_after_insert = 1;

-- All of it as constants: a reading compares each row with a small list instead of joining. The last entry keeps the
-- lists from being empty.
CREATE VIEW known_chains AS
SELECT
    arrayPushBack(groupArray(chain_id), toUInt32(0)) AS ids,
    arrayPushBack(groupArray(if(key = '', toString(chain_id), key)), '') AS keys,
    arrayPushBack(groupArray(if(caip2 = '', concat('eip155:', toString(chain_id)), caip2)), '') AS caip2s,
    arrayPushBack(groupArray(block), toUInt64(0)) AS blocks
FROM
(
    SELECT chain_id, max(named) AS key, max(identified) AS caip2, max(block_number) AS block
    FROM
    (
        SELECT chain_id, chain AS named, caip2 AS identified, toUInt64(0) AS block_number FROM chain_config FINAL
        UNION ALL
        SELECT chain_id, '' AS named, '' AS identified, toUInt64(block_number) AS block_number FROM published_chain
    )
    GROUP BY chain_id
);

-- Names of tokens, and of the native coin under the zero address.
CREATE VIEW token_name AS
SELECT chain_id, token, symbol, name, decimals FROM agg_token FINAL WHERE deleted = 0
UNION ALL
SELECT chain_id, repeat('\0', 20) AS token, native_symbol AS symbol, native_symbol AS name,
       toNullable(native_decimals) AS decimals
FROM chain_config FINAL;

-- Pools with the side that is a quote, where the pool is believed: a known exchange, no hooks.
CREATE VIEW pool_quote AS
SELECT
    pools.chain_id AS chain_id,
    pools.pool AS pool,
    pools.token0 AS token0,
    pools.token1 AS token1,
    pools.exchange AS exchange,
    pools.protocol AS protocol,
    indexOf(config.quotes, pools.token0) AS place0,
    indexOf(config.quotes, pools.token1) AS place1,
    has(config.factories, pools.factory) AND empty(replaceAll(pools.hooks, '\0', '')) AS believed,
    multiIf(
        NOT believed OR (place0 = 0 AND place1 = 0), -1,
        place1 = 0 OR (place0 > 0 AND place0 < place1), 0,
        1
    ) AS quote_side,
    multiIf(quote_side = 0, pools.token0, quote_side = 1, pools.token1, '') AS quote,
    multiIf(quote_side = 0, config.quote_decimals[place0], quote_side = 1, config.quote_decimals[place1], 0)
        AS quote_decimals
FROM published_fact_pool AS pools
LEFT JOIN (SELECT * FROM chain_config FINAL) AS config ON config.chain_id = pools.chain_id;

-- What each quote was worth in a minute, by the rules of prices; a row holds until the quote's next one. There is a row
-- for the first minute of every hour.
CREATE TABLE agg_quote_minute
(
    chain_id UInt32,
    quote String,
    minute DateTime('UTC'),
    usd Nullable(Decimal(38, 18)) COMMENT 'of one whole unit; null: not believed',
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY (chain_id, toYYYYMM(minute)) ORDER BY (chain_id, quote, minute)
SETTINGS index_granularity = 1024;

CREATE VIEW published_agg_quote_minute AS
SELECT * EXCEPT (deleted, version) FROM agg_quote_minute FINAL WHERE deleted = 0;

-- The same expression is a column of the marts, so that their filters by address find granules as the primary key does.
ALTER TABLE fact_transfer
    ADD INDEX IF NOT EXISTS token_text
    multiIf(empty(token), '', chain_id = 900900, base58Encode(token), concat('0x', lower(hex(token))))
    TYPE minmax GRANULARITY 1;

ALTER TABLE fact_swap
    ADD INDEX IF NOT EXISTS pool_text
    multiIf(empty(pool), '', chain_id = 900900, base58Encode(pool), concat('0x', lower(hex(pool))))
    TYPE minmax GRANULARITY 1;

ALTER TABLE fact_pool
    ADD INDEX IF NOT EXISTS pool_text
    multiIf(empty(pool), '', chain_id = 900900, base58Encode(pool), concat('0x', lower(hex(pool))))
    TYPE minmax GRANULARITY 1;

ALTER TABLE agg_balance_day
    ADD INDEX IF NOT EXISTS token_text
    multiIf(empty(token), '', chain_id = 900900, base58Encode(token), concat('0x', lower(hex(token))))
    TYPE minmax GRANULARITY 1;

ALTER TABLE agg_token
    ADD INDEX IF NOT EXISTS token_text
    multiIf(empty(token), '', chain_id = 900900, base58Encode(token), concat('0x', lower(hex(token))))
    TYPE minmax GRANULARITY 1;

ALTER TABLE fact_transfer MATERIALIZE INDEX token_text;
ALTER TABLE fact_swap MATERIALIZE INDEX pool_text;
ALTER TABLE fact_pool MATERIALIZE INDEX pool_text;
ALTER TABLE agg_balance_day MATERIALIZE INDEX token_text;
ALTER TABLE agg_token MATERIALIZE INDEX token_text;
