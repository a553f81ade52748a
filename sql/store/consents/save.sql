-- Repeating a consent keeps the first.
INSERT INTO copy_migration_consent (chain_id, senior_address, address, wallet, verification_method, signed_at)
VALUES (%(chain_id)s, %(senior_address)s, %(address)s, %(wallet)s, %(verification_method)s, %(signed_at)s)
ON CONFLICT DO NOTHING
