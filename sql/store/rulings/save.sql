INSERT INTO copy_ruling (chain_id, address, is_copy, of_address, reason, symbol_folded)
VALUES (%(chain_id)s, %(address)s, %(is_copy)s, %(of_address)s, %(reason)s, %(symbol_folded)s)
ON CONFLICT (chain_id, address) DO UPDATE SET
    is_copy = excluded.is_copy, of_address = excluded.of_address, reason = excluded.reason, symbol_folded = excluded.symbol_folded,
    decided_at = now()
