-- The newest scores of the tokens whose documents were requested only because they were scored, one text per column.
-- Scores older than from_hour are left out.
SELECT
    arrayStringConcat(groupArray(concat('0x', lower(hex(token)))), ',') AS addresses,
    arrayStringConcat(groupArray(toString(made.1)), ',') AS scores,
    arrayStringConcat(groupArray(toString(made.2)), ',') AS timestamp_scores,
    arrayStringConcat(groupArray(toString(made.3)), ',') AS volume_scores,
    arrayStringConcat(groupArray(toString(made.4)), ',') AS holders_scores,
    arrayStringConcat(groupArray(toString(made.5)), ',') AS confidence_scores,
    arrayStringConcat(groupArray(toString(made.6)), ',') AS weights_versions,
    arrayStringConcat(groupArray(toString(toUInt32(made.7))), ',') AS scored_at,
    arrayStringConcat(groupArray(toString(made.8)), ',') AS as_of_blocks
FROM
(
    SELECT
        token,
        argMax((
            score, timestamp_score, volume_score, holders_score, confidence_score, weights_version, computed_at,
            as_of_block
        ), hour) AS made
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
)
