UPDATE account SET plan = %(plan)s WHERE id = %(id)s
