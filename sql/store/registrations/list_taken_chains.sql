-- Chains on which a symbol has an active registration, or is reserved for the token of an upheld challenge.
SELECT chain_id
FROM registration
WHERE symbol = %(symbol)s AND released_at IS NULL AND expired_at IS NULL
UNION
SELECT chain_id
FROM registration_challenge
WHERE symbol_folded = %(symbol_folded)s
  AND (state = 'upheld' OR (state = 'ended' AND ended_at > %(reserved_since)s))
