-- As of when a chain's copy verdicts hold, and through when its hours are weighed.
SELECT as_of_block, as_of_time, weighed_through, history_from
FROM copy_progress
WHERE chain_id = %(chain_id)s
