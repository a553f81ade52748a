-- Events as a JSON array of objects, in order; one that is there already stays as it is. What happened before told_from
-- is recorded as told to nobody: a history that is indexed for the first time floods no subscriber.
INSERT INTO event_log (type, chain_id, token_id, subject, payload, dedupe_key, created_at, fanned_out_at)
SELECT
    type, chain_id, token_id, subject, payload, dedupe_key, happened_at,
    CASE WHEN happened_at < %(told_from)s THEN now() END
FROM ROWS FROM (
    jsonb_to_recordset(CAST(%(events)s AS jsonb)) AS (
        type text, chain_id bigint, token_id bigint, subject text, payload jsonb, dedupe_key text,
        happened_at timestamptz
    )
) WITH ORDINALITY AS told (type, chain_id, token_id, subject, payload, dedupe_key, happened_at, place)
ORDER BY place
ON CONFLICT (dedupe_key) DO NOTHING
RETURNING type
