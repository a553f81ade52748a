UPDATE registration_domain
SET verified_at = NULL, lost_at = %(now)s, last_problem = %(problem)s, failing_since = NULL, absences = 0
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND domain = %(domain)s
