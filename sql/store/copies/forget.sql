-- Remove copies whose verdict was withdrawn before an event was recorded, and those whose registration was reverted or
-- has ended. A later verdict adds them again.
DELETE FROM copy_sighting
WHERE chain_id = %(chain_id)s AND of_chain_id = %(of_chain_id)s AND of_token_id = %(of_token_id)s
  AND address = ANY(%(addresses)s) AND told_at IS NULL
