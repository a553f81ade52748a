-- Remove rows superseded by a version that has been public for eleven minutes, and hidden keys once they are that old:
-- a cursor is valid for ten minutes, and its last request may still be running.
DELETE FROM serve_provenance
WHERE (wallet, chain_id, token, method, version) IN
(
    SELECT wallet, chain_id, token, method, version
    FROM
    (
        SELECT wallet, chain_id, token, method, version, deleted,
               max(version) OVER (PARTITION BY wallet, chain_id, token, method) AS newest
        FROM serve_provenance
        WHERE version <=
        (
            SELECT max(version) FROM serve_publication WHERE published_at < now64(3, 'UTC') - INTERVAL 11 MINUTE
        )
    )
    WHERE version < newest OR deleted = 1
)
