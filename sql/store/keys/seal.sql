UPDATE api_key SET sealed_secret = %(sealed)s WHERE id = %(id)s
