-- The highest milestones of holder counts, as a JSON object keyed by token id.
INSERT INTO event_state AS state (chain_id, token_id, holder_milestone)
SELECT %(chain_id)s, key::bigint, value::bigint FROM jsonb_each_text(CAST(%(milestones)s AS jsonb)) ORDER BY 2
ON CONFLICT (chain_id, token_id) DO UPDATE SET holder_milestone = excluded.holder_milestone
WHERE state.holder_milestone IS DISTINCT FROM excluded.holder_milestone
