SELECT id, deal_id, move, actor, signer, statement, message_hash, domain_separator, signature, created_at
FROM deal_attestation
WHERE deal_id = %(deal_id)s
ORDER BY id
