-- The newest publication, or the newest at most {version}.
SELECT version, published_at, as_of_blocks
FROM serve_publication
WHERE version <= {version:UInt64}
ORDER BY version DESC
LIMIT 1
SETTINGS max_threads = 1
