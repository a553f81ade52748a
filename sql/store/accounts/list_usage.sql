-- Keys that replaced one another share a quota; it is shown under the newest of them.
SELECT
    CASE WHEN u.subject = u.account_id THEN u.subject ELSE k.id END AS subject, u.day, u.used, k.name, k.prefix
FROM api_usage AS u
LEFT JOIN LATERAL (
    SELECT id, name, prefix, created_at FROM api_key
    WHERE api_key.account_id = u.account_id AND coalesce(quota_of, api_key.id) = u.subject
    ORDER BY created_at DESC, id DESC LIMIT 1
) AS k ON true
WHERE u.account_id = %(account_id)s AND u.day >= %(first)s
ORDER BY u.day, k.created_at NULLS LAST
