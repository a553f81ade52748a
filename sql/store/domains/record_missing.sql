UPDATE registration_domain
SET checked_at = %(now)s, last_problem = %(problem)s
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND domain = %(domain)s
  AND verified_at IS NULL
