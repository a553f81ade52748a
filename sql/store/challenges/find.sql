SELECT * FROM registration_challenge WHERE id = %(id)s
