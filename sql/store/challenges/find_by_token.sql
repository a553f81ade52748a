-- The challenge of a mint by a token.
SELECT *
FROM registration_challenge
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND mint_transaction = %(mint_transaction)s
  AND challenger_token = %(challenger_token)s
