-- One version of the token list, by its numbers.
SELECT version_id, major, minor, patch, published_at, tokens
FROM token_list_version
WHERE (major, minor, patch) = (%(major)s, %(minor)s, %(patch)s)
