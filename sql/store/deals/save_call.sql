UPDATE deal SET settlement_call = %(call)s::jsonb, updated_at = now() WHERE id = %(id)s
