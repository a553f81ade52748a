-- What the operator attests of a registration, oldest first.
SELECT id, kind, statement, created_at
FROM registration_attestation
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND withdrawn_at IS NULL
ORDER BY id
