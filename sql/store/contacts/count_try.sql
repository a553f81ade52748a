UPDATE contact SET code_tries = code_tries + 1 WHERE id = %(id)s
