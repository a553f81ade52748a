-- A wallet's interest in a token, once. No row: it was expressed before.
INSERT INTO token_interest (chain_id, token_address, wallet, account_id)
VALUES (%(chain_id)s, %(token_address)s, %(wallet)s, %(account_id)s)
ON CONFLICT DO NOTHING
RETURNING expressed_at
