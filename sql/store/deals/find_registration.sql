-- The active registration of a symbol on a chain, and whether its end is announced.
SELECT token_id, symbol, owner, token_address, transaction_hash, minted_at, pending_end IS NOT NULL AS is_ending
FROM registration
WHERE chain_id = %(chain_id)s AND symbol = %(symbol)s AND released_at IS NULL AND expired_at IS NULL
