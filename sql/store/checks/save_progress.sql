INSERT INTO check_progress (
    check_name, chain_id, change_id, final_block, final_day, position, checked_at, pass_began_at, pass_ended_at
)
VALUES (
    %(check_name)s, %(chain_id)s, %(change_id)s, %(final_block)s, %(final_day)s, %(position)s, %(checked_at)s,
    %(pass_began_at)s, %(pass_ended_at)s
)
ON CONFLICT (check_name, chain_id) DO UPDATE SET
    change_id = excluded.change_id, final_block = excluded.final_block, final_day = excluded.final_day,
    position = excluded.position, checked_at = excluded.checked_at, pass_began_at = excluded.pass_began_at,
    pass_ended_at = excluded.pass_ended_at
