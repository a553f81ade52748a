SELECT check_name, stops, found_at, violations
FROM check_hold
ORDER BY check_name
