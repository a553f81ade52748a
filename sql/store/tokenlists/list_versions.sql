-- Versions of the token list below one, newest first.
SELECT version_id, major, minor, patch, published_at, tokens, added, changed, removed
FROM token_list_version
WHERE version_id < %(below)s
ORDER BY version_id DESC
LIMIT %(limit)s
