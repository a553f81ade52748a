-- Announced expiries that their owners objected to and that nobody has decided about, oldest first. Challenges have
-- notices of their own.
SELECT chain_id, token_id, symbol, pending_end_due_at
FROM registration
WHERE pending_end = 'inactive' AND pending_end_objected_at IS NOT NULL AND pending_end_confirmed_at IS NULL
ORDER BY pending_end_objected_at, chain_id, token_id
