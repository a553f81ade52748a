-- The other registration of the chain that the domain is verified for, and whether it is active.
SELECT d.chain_id, d.token_id, d.domain, d.challenge, r.token_id IS NOT NULL AS is_active
FROM registration_domain AS d
LEFT JOIN registration AS r
  ON r.chain_id = d.chain_id AND r.token_id = d.token_id AND r.released_at IS NULL AND r.expired_at IS NULL
WHERE d.chain_id = %(chain_id)s AND d.domain = %(domain)s AND d.token_id <> %(token_id)s AND d.verified_at IS NOT NULL
FOR UPDATE OF d
