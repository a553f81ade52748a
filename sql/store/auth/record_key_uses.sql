UPDATE api_key SET last_used_at = GREATEST(last_used_at, used.at)
FROM (SELECT unnest(CAST(%(ids)s AS uuid[])) AS id, unnest(CAST(%(times)s AS timestamptz[])) AS at) AS used
WHERE api_key.id = used.id
