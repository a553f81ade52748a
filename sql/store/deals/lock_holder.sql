-- Who holds a registration now. It can neither end nor change hands before the transaction does, and acceptances of
-- several deals on it wait for each other.
SELECT owner
FROM registration
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND transaction_hash = %(mint_transaction)s
  AND released_at IS NULL AND expired_at IS NULL
FOR NO KEY UPDATE
