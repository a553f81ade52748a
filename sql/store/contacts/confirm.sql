UPDATE contact SET confirmed_at = %(now)s, code_mac = NULL, code_ends_at = NULL WHERE id = %(id)s
