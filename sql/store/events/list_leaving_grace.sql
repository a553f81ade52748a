-- Active registrations whose grace period ended within a time range.
SELECT token_address
FROM registration
WHERE chain_id = %(chain_id)s AND released_at IS NULL AND expired_at IS NULL
  AND minted_at > %(after)s AND minted_at <= %(until)s
