-- Remove publications older than an hour, except the newest of all and the newest that is eleven minutes old.
DELETE FROM serve_publication
WHERE published_at < now64(3, 'UTC') - INTERVAL 1 HOUR
  AND version < (SELECT max(version) FROM serve_publication)
  AND version < ifNull(
      (SELECT max(version) FROM serve_publication WHERE published_at < now64(3, 'UTC') - INTERVAL 11 MINUTE), 0)
