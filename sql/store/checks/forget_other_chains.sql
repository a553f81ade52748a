-- What a check has found and looked at on chains that are not known any more: nothing of them is served.
WITH forgotten AS (
    DELETE FROM check_progress
    WHERE check_name = %(check_name)s AND chain_id <> ALL(%(chain_ids)s)
)
DELETE FROM check_failure
WHERE check_name = %(check_name)s AND chain_id <> ALL(%(chain_ids)s)
