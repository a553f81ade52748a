-- The heartbeats of the last recorded events, a JSON array of objects.
INSERT INTO event_state AS state (chain_id, token_id, heartbeat_level, heartbeat_status, heartbeat_score)
SELECT %(chain_id)s, token_id, level, status, score
FROM jsonb_to_recordset(CAST(%(beats)s AS jsonb)) AS beat (
    token_id bigint, level text, status text, score numeric(5, 2)
)
ORDER BY token_id
ON CONFLICT (chain_id, token_id) DO UPDATE SET
    heartbeat_level = excluded.heartbeat_level,
    heartbeat_status = excluded.heartbeat_status,
    heartbeat_score = excluded.heartbeat_score
WHERE (state.heartbeat_level, state.heartbeat_status, state.heartbeat_score)
    IS DISTINCT FROM (excluded.heartbeat_level, excluded.heartbeat_status, excluded.heartbeat_score)
