-- Challenges of a registration that an account may see, oldest first: its own, and those that were upheld.
SELECT *
FROM registration_challenge
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
  AND (account_id = %(account_id)s OR state IN ('upheld', 'withdrawing', 'ended', 'stopped'))
ORDER BY opened_at, id
