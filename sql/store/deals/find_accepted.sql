SELECT id
FROM deal
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND mint_transaction = %(mint_transaction)s
  AND status = ANY(%(statuses)s) AND id <> %(id)s
LIMIT 1
