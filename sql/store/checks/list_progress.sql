-- How far each check is, over all chains: the oldest of them counts.
SELECT check_name, min(checked_at) AS checked_at,
       CASE WHEN bool_and(pass_ended_at IS NOT NULL) THEN min(pass_ended_at) END AS pass_ended_at
FROM check_progress
GROUP BY check_name
