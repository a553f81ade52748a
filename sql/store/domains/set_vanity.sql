UPDATE registration_domain
SET vanity_enabled = %(enabled)s
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND domain = %(domain)s
  AND (verified_at IS NOT NULL OR NOT %(enabled)s)
RETURNING *
