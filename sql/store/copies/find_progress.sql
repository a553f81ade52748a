-- As of when a chain's copy verdicts hold, through when its hours are weighed, and the failed check of the data that
-- forbids relying on them, if any.
SELECT as_of_block, as_of_time, weighed_through, history_from,
    (SELECT min(check_name) FROM check_hold) AS held_by
FROM copy_progress
WHERE chain_id = %(chain_id)s
