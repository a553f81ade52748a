SELECT token_id, holder_milestone, heartbeat_level, heartbeat_status, heartbeat_score
FROM event_state
WHERE chain_id = %(chain_id)s AND token_id = ANY(%(token_ids)s)
