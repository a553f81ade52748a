-- The caller holds the registration's lock, so two processes cannot count the domains at the same time.
INSERT INTO registration_domain (chain_id, token_id, domain, challenge, requested_at, check_at)
SELECT %(chain_id)s, %(token_id)s, CAST(%(domain)s AS text), %(challenge)s, CAST(%(now)s AS timestamptz), %(now)s
WHERE (
    SELECT count(*) FROM registration_domain WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
) < %(most)s
ON CONFLICT DO NOTHING
