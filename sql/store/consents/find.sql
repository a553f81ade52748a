-- Whether the senior token's controller named the other token as its successor.
SELECT wallet, verification_method, signed_at
FROM copy_migration_consent
WHERE chain_id = %(chain_id)s AND senior_address = %(senior_address)s AND address = %(address)s
