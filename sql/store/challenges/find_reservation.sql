-- Whom a symbol is reserved for: the token of an upheld challenge, until seven days after the registration ended.
-- ended_at is null while the end is announced.
SELECT challenger_token, ended_at
FROM registration_challenge
WHERE chain_id = %(chain_id)s AND symbol_folded = %(symbol_folded)s
  AND (state = 'upheld' OR (state = 'ended' AND ended_at > %(ended_after)s))
ORDER BY ended_at DESC NULLS FIRST
LIMIT 1
