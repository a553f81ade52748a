SELECT
    chain_id, token_id, domain, challenge, requested_at, verified_at, checked_at, check_at, failing_since, absences,
    last_problem, lost_at, vanity_enabled
FROM registration_domain
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND domain = %(domain)s
