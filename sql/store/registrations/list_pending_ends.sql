-- Registrations of a chain whose end was announced for a reason and has not taken effect, oldest first.
SELECT token_id, symbol
FROM registration
WHERE chain_id = %(chain_id)s AND pending_end = %(reason)s
ORDER BY token_id
