-- Leasing moves the next check to the end of the lease: no two workers check the same domain, and a domain whose worker
-- died becomes due again. Domains of registrations that ended are kept but not checked.
UPDATE registration_domain AS d SET check_at = %(lease)s
FROM (
    SELECT one.chain_id, one.token_id, one.domain
    FROM registration_domain AS one
    JOIN registration AS r
      ON r.chain_id = one.chain_id AND r.token_id = one.token_id AND r.released_at IS NULL AND r.expired_at IS NULL
    WHERE one.verified_at IS NOT NULL AND one.check_at <= %(now)s
    ORDER BY one.check_at LIMIT %(at_once)s FOR UPDATE OF one SKIP LOCKED
) AS due
WHERE d.chain_id = due.chain_id AND d.token_id = due.token_id AND d.domain = due.domain
RETURNING
    d.chain_id, d.token_id, d.domain, d.challenge, d.requested_at, d.verified_at, d.checked_at, d.check_at,
    d.failing_since, d.absences,
    d.last_problem, d.lost_at, d.vanity_enabled
