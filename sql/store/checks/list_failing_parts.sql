SELECT part
FROM check_failure
WHERE check_name = %(check_name)s AND chain_id = %(chain_id)s
ORDER BY found_at
