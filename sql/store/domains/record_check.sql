-- Save the result of a check while its lease is valid, and therefore only once.
UPDATE registration_domain
SET verified_at = CASE WHEN %(lost)s THEN NULL ELSE verified_at END,
    lost_at = CASE WHEN %(lost)s THEN CAST(%(now)s AS timestamptz) ELSE lost_at END,
    checked_at = CASE WHEN %(answered)s THEN CAST(%(now)s AS timestamptz) ELSE checked_at END,
    check_at = %(check_at)s, failing_since = %(failing_since)s, absences = %(absences)s, last_problem = %(problem)s
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND domain = %(domain)s
  AND check_at = %(lease)s AND verified_at IS NOT NULL
