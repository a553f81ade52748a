INSERT INTO copy_ruling (chain_id, address, is_copy, of_address, reason)
VALUES (%(chain_id)s, %(address)s, %(is_copy)s, %(of_address)s, %(reason)s)
ON CONFLICT (chain_id, address) DO UPDATE SET
    is_copy = excluded.is_copy, of_address = excluded.of_address, reason = excluded.reason, decided_at = now()
