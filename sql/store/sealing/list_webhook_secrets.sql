-- The next that another key than the present one encrypted, with what it is bound to.
SELECT id, sealed, subscription_id::text AS purpose, NULL AS channel FROM webhook_secret
WHERE (CAST(%(after)s AS uuid) IS NULL OR id > %(after)s) AND substring(sealed FROM 1 FOR 5) <> %(mark)s
ORDER BY id
LIMIT %(limit)s
