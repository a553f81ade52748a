-- Tokens of a chain whose registration was added, removed or changed since their documents were requested, oldest
-- change first.
SELECT change_id, token_address
FROM presented_change
WHERE chain_id = %(chain_id)s
ORDER BY changed_at, change_id
LIMIT 5000
