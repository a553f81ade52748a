SELECT count(*) FILTER (WHERE revoked_at IS NULL) AS active,
       (SELECT created_at FROM api_key WHERE account_id = %(account_id)s AND created_at > %(since)s
        ORDER BY created_at DESC OFFSET %(n)s - 1 LIMIT 1) AS nth_newest_at
FROM api_key WHERE account_id = %(account_id)s
