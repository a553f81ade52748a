INSERT INTO deal_attestation (
    deal_id, move, actor, signer, statement, message_hash, domain_separator, signature, created_at
)
VALUES (
    %(deal_id)s, %(move)s, %(actor)s, %(signer)s, %(statement)s::jsonb, %(message_hash)s, %(domain_separator)s,
    %(signature)s, %(created_at)s
)
