-- The registry announces the end of a registration before it takes effect, and settles deals.
ALTER TABLE fact_registry_event
    ADD COLUMN IF NOT EXISTS reason UInt8 COMMENT 'ended, end_announced: 1 inactive, 2 challenge upheld' AFTER peer_token_id,
    ADD COLUMN IF NOT EXISTS due_at DateTime('UTC') COMMENT 'end_announced, end_objected' AFTER reason,
    ADD COLUMN IF NOT EXISTS new_token_id UInt64 COMMENT 'settled: the registration made for the buyer' AFTER due_at,
    ADD COLUMN IF NOT EXISTS deal String COMMENT 'settled: 32 bytes that name the deal' AFTER new_token_id,
    MODIFY COLUMN kind LowCardinality(String)
        COMMENT 'registered, released, ended, settled, end_announced, end_objected, end_confirmed, end_vetoed, end_withdrawn, signer_changed, signer_suspended (both of token 0), manager, maintainer, metadata, canonical_peer',
    MODIFY COLUMN symbol String COMMENT 'registered, released, ended',
    MODIFY COLUMN owner String COMMENT 'registered, released, ended, settled, end_announced, end_objected';

-- A view keeps the columns of when it was made.
CREATE OR REPLACE VIEW published_fact_registry_event AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_registry_event
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));
