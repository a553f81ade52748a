SELECT DISTINCT registration.metadata_cid AS cid, COALESCE(search.attempts, 0) AS attempts
FROM registration
LEFT JOIN metadata_search AS search ON search.cid = registration.metadata_cid
WHERE registration.metadata IS NULL AND registration.metadata_cid <> ''
  AND (search.cid IS NULL OR search.next_at <= %(now)s)
ORDER BY attempts, cid
LIMIT %(most)s
