UPDATE deal SET settlement_hash = %(hash)s, updated_at = now() WHERE id = %(id)s
