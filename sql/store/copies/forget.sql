-- Copies whose verdict was withdrawn before it was recorded, and those whose registration is gone or has ended: a later
-- verdict is noted anew.
DELETE FROM copy_sighting
WHERE chain_id = %(chain_id)s AND of_chain_id = %(of_chain_id)s AND of_token_id = %(of_token_id)s
  AND address = ANY(%(addresses)s) AND told_at IS NULL
