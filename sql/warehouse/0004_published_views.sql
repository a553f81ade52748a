-- What analysts read: of every table that ingestion writes, the rows of published units and nothing else.
--
-- The checkpoint of a chain lives in the store, where a query of the warehouse cannot see it. chain_publication repeats
-- it here: the writer adds a row after it has moved the checkpoint forward, and before it takes anything back. So the
-- views may be a moment behind the checkpoint and are never ahead of it (docs/decisions/0013-published-views.md).

CREATE TABLE chain_publication
(
    chain_id UInt32,
    generation UInt64 COMMENT 'of the checkpoint in the store: a late writer''s row loses against a newer one',
    next_block UInt64 COMMENT 'the first block that is not published',
    next_unit UInt64 COMMENT 'units from this number on are not published',
    marked_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(generation) ORDER BY chain_id
SETTINGS fsync_after_insert = 1;

-- The last published block of each chain.
CREATE VIEW published_chain AS
SELECT chain_id, next_block - 1 AS block_number, generation, marked_at
FROM (SELECT * FROM chain_publication ORDER BY generation DESC LIMIT 1 BY chain_id)
WHERE next_block > 0;

-- The same as constants, for the views below: a reading compares each row with a small list instead of joining. The
-- last entry keeps the lists from being empty.
CREATE VIEW publication_bounds AS
SELECT
    arrayPushBack(groupArray(chain_id), toUInt32(0)) AS chains,
    arrayPushBack(groupArray(toInt64(next_block) - 1), toInt64(-1)) AS blocks,
    arrayPushBack(groupArray(next_unit), toUInt64(0)) AS units
FROM (SELECT * FROM chain_publication ORDER BY generation DESC LIMIT 1 BY chain_id)
WHERE next_block > 0;

CREATE VIEW published_raw_block AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM raw_block
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_raw_log AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM raw_log
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_fact_contract_creation AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_contract_creation
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

-- Readings are filed under the block they are of.
CREATE VIEW published_fact_token AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_token
WHERE read_block <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_fact_transfer AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_transfer
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_fact_pool AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_pool
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_fact_swap AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_swap
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_fact_pool_state AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_pool_state
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_fact_liquidity AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_liquidity
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_fact_control AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_control
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE VIEW published_fact_registry_event AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_registry_event
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

-- Balance changes by day. A unit's sums are added before it is published and taken back after it is no longer, and
-- merged sums do not say whose they are. So the unit's own row among them (an empty token) says whether they are in,
-- which the same insert made true; where they are and the unit is not published, its transfers are subtracted again.
CREATE VIEW published_agg_balance_day AS
WITH (SELECT (chains, units) FROM publication_bounds) AS published
SELECT chain_id, token, wallet, day, delta_raw
FROM agg_balance_day
WHERE token != '' AND has(published.1, chain_id)
UNION ALL
SELECT chain_id, token, side.1 AS wallet, toDate(block_time) AS day, -side.2 AS delta_raw
FROM fact_transfer
ARRAY JOIN [(to_address, toInt256(amount_raw)), (from_address, -toInt256(amount_raw))] AS side
WHERE side.1 != repeat('\0', 20) AND unit_id IN
(
    SELECT reinterpretAsUInt64(reverse(wallet)) AS summed_unit
    FROM agg_balance_day
    WHERE token = '' AND wallet >= (SELECT unhex(leftPad(hex(arrayMin(arrayPopBack(units))), 16, '0')) FROM publication_bounds)
    GROUP BY chain_id, wallet
    HAVING sum(delta_raw) = 1 AND summed_unit >= transform(chain_id, published.1, published.2, toUInt64(-1))
);

-- What each wallet holds of each token, and the first and the last day that changed it.
CREATE VIEW published_balance AS
SELECT chain_id, token, wallet, sum(change_raw) AS balance_raw, min(day) AS first_day, max(day) AS last_day
FROM
(
    SELECT chain_id, token, wallet, day, sum(delta_raw) AS change_raw
    FROM published_agg_balance_day
    GROUP BY chain_id, token, wallet, day
    HAVING change_raw != 0
)
GROUP BY chain_id, token, wallet
HAVING balance_raw > 0;

-- What the pipelines keep by key: the newest row of each. They are made of published blocks alone, in passes: a row says
-- as of which block or in which pass it was made, and only the served tables change all at once.
CREATE VIEW published_agg_token AS SELECT * EXCEPT (deleted, version) FROM agg_token FINAL WHERE deleted = 0;

CREATE VIEW published_agg_token_hour AS
SELECT chain_id, token, hour, transfers, holders_net, supply_net_raw, last_time
FROM agg_token_hour FINAL
WHERE hour > toDateTime(0, 'UTC');

CREATE VIEW published_agg_holder_day AS SELECT * EXCEPT (version) FROM agg_holder_day FINAL;

CREATE VIEW published_agg_top_holder AS SELECT * EXCEPT (version) FROM agg_top_holder FINAL;

CREATE VIEW published_agg_pool_candle AS
SELECT * EXCEPT (deleted, version) FROM agg_pool_candle FINAL WHERE deleted = 0;

CREATE VIEW published_agg_pool_liquidity AS
SELECT * EXCEPT (settled, deleted, version) FROM agg_pool_liquidity FINAL WHERE deleted = 0;

CREATE VIEW published_agg_token_price AS SELECT * EXCEPT (version) FROM agg_token_price FINAL;

CREATE VIEW published_agg_heartbeat AS SELECT * FROM agg_heartbeat FINAL;

CREATE VIEW published_agg_provenance AS SELECT * EXCEPT (version) FROM agg_provenance FINAL;

-- What is served: of each key the row that counts at the published version. The order is the table's own, backwards.
CREATE VIEW published_serve_token AS
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

CREATE VIEW published_serve_symbol AS
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT * EXCEPT (version, deleted)
FROM
(
    SELECT *
    FROM serve_symbol
    WHERE version <= published
    ORDER BY symbol_key DESC, version DESC
    LIMIT 1 BY symbol_key
)
WHERE deleted = 0;

CREATE VIEW published_serve_provenance AS
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT * EXCEPT (version, deleted)
FROM
(
    SELECT *
    FROM serve_provenance
    WHERE version <= published
    ORDER BY wallet DESC, chain_id DESC, token DESC, method DESC, version DESC
    LIMIT 1 BY wallet, chain_id, token, method
)
WHERE deleted = 0;
