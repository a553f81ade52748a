SELECT check_name, reason, given_at, ends_at
FROM check_override
WHERE ends_at > now()
ORDER BY check_name
