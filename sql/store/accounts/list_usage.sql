SELECT u.subject, u.day, u.used, k.name, k.prefix
FROM api_usage AS u LEFT JOIN api_key AS k ON k.id = u.subject
WHERE u.account_id = %(account_id)s AND u.day >= %(first)s
ORDER BY u.day, k.created_at NULLS LAST
