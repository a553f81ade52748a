UPDATE deal SET funded_percent = %(funded_percent)s, updated_at = now() WHERE id = %(id)s
