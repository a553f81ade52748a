UPDATE registration_domain
SET verified_at = coalesce(verified_at, %(now)s), checked_at = %(now)s, check_at = %(check_at)s, failing_since = NULL,
    absences = 0, last_problem = NULL, lost_at = NULL
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND domain = %(domain)s
  AND challenge = %(challenge)s
RETURNING
    chain_id, token_id, domain, challenge, requested_at, verified_at, checked_at, check_at, failing_since, absences,
    last_problem, lost_at, vanity_enabled
