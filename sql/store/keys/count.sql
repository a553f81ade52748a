-- Keys that share a quota count once: one that was rolled, and its replacement.
SELECT count(DISTINCT coalesce(quota_of, id)) FILTER (
           WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > %(now)s)
       ) AS active,
       (SELECT created_at FROM api_key WHERE account_id = %(account_id)s AND created_at > %(since)s
        ORDER BY created_at DESC OFFSET %(n)s - 1 LIMIT 1) AS nth_newest_at
FROM api_key WHERE account_id = %(account_id)s
