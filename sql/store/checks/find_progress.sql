SELECT change_id, final_block, final_day, position, checked_at, pass_began_at, pass_ended_at
FROM check_progress
WHERE check_name = %(check_name)s AND chain_id = %(chain_id)s
