-- Record events, given as a JSON array of objects, in their order. An event whose key is already recorded is skipped.
-- Without happened_at an event happens now. Events before told_from are marked as having no receivers: indexing a
-- chain's history for the first time must not flood subscribers.
INSERT INTO event_log (
    type, chain_id, token_id, account_id, subject, payload, dedupe_key, created_at, fanned_out_at)
SELECT
    type, chain_id, token_id, account_id, subject, payload, dedupe_key, coalesce(to_timestamp(happened_at), now()),
    CASE WHEN to_timestamp(happened_at) < CAST(%(told_from)s AS timestamptz) THEN now() END
FROM ROWS FROM (
    jsonb_to_recordset(CAST(%(events)s AS jsonb)) AS (
        type text, chain_id bigint, token_id bigint, account_id uuid, subject text, payload jsonb, dedupe_key text,
        happened_at bigint
    )
) WITH ORDINALITY AS told (
    type, chain_id, token_id, account_id, subject, payload, dedupe_key, happened_at, place)
ORDER BY place
ON CONFLICT (dedupe_key) DO NOTHING
RETURNING type
