-- Where a registration was minted.
SELECT symbol, owner, token_address, transaction_hash, block_number, minted_at, registry
FROM registration
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
