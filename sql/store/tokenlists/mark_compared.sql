INSERT INTO derive_checkpoint (subject, chain_id, change_id, updated_at)
VALUES ('token_list', 0, 0, now())
ON CONFLICT (subject, chain_id) DO UPDATE SET updated_at = now()
