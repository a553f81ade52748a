UPDATE api_key SET name = %(name)s WHERE id = %(id)s
