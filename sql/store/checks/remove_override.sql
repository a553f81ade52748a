DELETE FROM check_override
WHERE check_name = %(check_name)s
