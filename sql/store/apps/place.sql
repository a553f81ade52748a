INSERT INTO page_app (chain_id, token_id, app_id, position, enabled)
SELECT %(chain_id)s, %(token_id)s, given.id, given.place, given.enabled
FROM unnest(CAST(%(ids)s AS text[]), CAST(%(enabled)s AS boolean[])) WITH ORDINALITY AS given (id, enabled, place)
ON CONFLICT (chain_id, token_id, app_id) DO UPDATE SET position = excluded.position, enabled = excluded.enabled
