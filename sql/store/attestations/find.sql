SELECT id
FROM registration_attestation
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND kind = %(kind)s AND statement = %(statement)s
  AND withdrawn_at IS NULL
