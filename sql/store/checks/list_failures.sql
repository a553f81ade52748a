SELECT check_name, chain_id, part, violations, example, stops, found_at, seen_at
FROM check_failure
ORDER BY check_name, chain_id, found_at
