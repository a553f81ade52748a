-- Since when a token has borne its symbol: seniority does not count from before that.
ALTER TABLE agg_token
    ADD COLUMN IF NOT EXISTS named_block Nullable(UInt64)
    COMMENT 'from which on its contract has given this symbol; null: ever since it was first read'
    AFTER creation_index;

ALTER TABLE agg_token
    ADD COLUMN IF NOT EXISTS named_time Nullable(DateTime('UTC'))
    AFTER named_block;

ALTER TABLE serve_token
    ADD COLUMN IF NOT EXISTS named_block Nullable(UInt64)
    COMMENT 'from which on its contract has given this symbol; null: ever since it was first read'
    AFTER deployed_directly;

ALTER TABLE serve_token
    ADD COLUMN IF NOT EXISTS named_at Nullable(DateTime('UTC'))
    AFTER named_block;

CREATE OR REPLACE VIEW published_agg_token AS SELECT * EXCEPT (deleted, version) FROM agg_token FINAL WHERE deleted = 0;

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
