-- Remove rows superseded by a version that has been public for eleven minutes, and hidden keys once they are that old:
-- a cursor is valid for ten minutes, and its last request may still be running.
DELETE FROM serve_token
WHERE (symbol_key, chain_id, address, version) IN
(
    SELECT symbol_key, chain_id, address, version
    FROM
    (
        SELECT symbol_key, chain_id, address, version, deleted,
               max(version) OVER (PARTITION BY symbol_key, chain_id, address) AS newest
        FROM serve_token
        WHERE version <=
        (
            SELECT max(version) FROM serve_publication WHERE published_at < now64(3, 'UTC') - INTERVAL 11 MINUTE
        )
    )
    WHERE version < newest OR deleted = 1
)
