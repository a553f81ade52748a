-- That rows of some chains are about to be written under a version, and the newest version that was declared.
INSERT INTO derive_checkpoint (subject, chain_id, change_id, details, updated_at)
VALUES ('publication', 0, %(version)s, %(declared)s, now())
ON CONFLICT (subject, chain_id)
DO UPDATE SET change_id = excluded.change_id, details = derive_checkpoint.details || excluded.details, updated_at = now()
