-- Write the newest rows of the tokens of which only the score changed, with the new score. Scores have times of their
-- own: the block of the other figures stays.
INSERT INTO serve_token
SELECT rows.* REPLACE (
    {new_version:UInt64} AS version,
    toNullable(scores.score) AS heartbeat_score
)
FROM serve_token AS rows
INNER JOIN
(
    SELECT standing.symbol_key AS symbol_key, standing.address AS address, standing.version AS version,
        scored.score AS score
    FROM
    (
        SELECT symbol_key, address, version, deleted, heartbeat_score
        FROM serve_token
        WHERE chain_id = {chain_id:UInt32} AND address IN
        (
            SELECT token
            FROM agg_document_request
            WHERE chain_id = {chain_id:UInt32} AND version > {after_version:UInt64} AND version <= {version:UInt64}
            GROUP BY token
            HAVING min(cause = 'heartbeat')
        )
        ORDER BY version DESC
        LIMIT 1 BY symbol_key, chain_id, address
    ) AS standing
    INNER JOIN
    (
        SELECT token, argMax(score, hour) AS score
        FROM agg_heartbeat FINAL
        PREWHERE chain_id = {chain_id:UInt32} AND hour >= {from_hour:DateTime('UTC')} AND token IN
        (
            SELECT token
            FROM agg_document_request
            WHERE chain_id = {chain_id:UInt32} AND version > {after_version:UInt64} AND version <= {version:UInt64}
            GROUP BY token
            HAVING min(cause = 'heartbeat')
        )
        GROUP BY token
    ) AS scored ON scored.token = standing.address
    WHERE standing.deleted = 0 AND (standing.heartbeat_score IS NULL OR standing.heartbeat_score != scored.score)
) AS scores
    ON scores.symbol_key = rows.symbol_key AND scores.address = rows.address AND scores.version = rows.version
WHERE rows.chain_id = {chain_id:UInt32}
