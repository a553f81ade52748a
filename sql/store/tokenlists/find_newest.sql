-- The newest version of the token list.
SELECT version_id, major, minor, patch, published_at, tokens
FROM token_list_version
ORDER BY version_id DESC
LIMIT 1
