INSERT INTO derive_checkpoint (subject, chain_id, change_id, details, updated_at)
VALUES (%(subject)s, %(chain_id)s, %(change_id)s, %(details)s, now())
ON CONFLICT (subject, chain_id)
DO UPDATE SET change_id = excluded.change_id, details = excluded.details, updated_at = excluded.updated_at
WHERE (derive_checkpoint.change_id, derive_checkpoint.details) IS DISTINCT FROM (excluded.change_id, excluded.details)
