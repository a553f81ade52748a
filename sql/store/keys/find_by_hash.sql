SELECT id FROM api_key WHERE key_hash = %(key_hash)s
