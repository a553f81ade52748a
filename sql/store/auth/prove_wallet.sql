-- The first proof says what the wallet is, and the row lets no other way in: of two contracts of one address that sign
-- in at the same instant the second waits for the first one's row and then does not fit. Whoever has the key of an
-- address made its contracts what they are, so that a key always fits, and changes nothing.
UPDATE account_wallet SET
    proved_at = COALESCE(proved_at, %(now)s),
    chain_id = CASE WHEN proved_at IS NULL THEN CAST(%(chain_id)s AS bigint) ELSE chain_id END
WHERE wallet = %(wallet)s
  AND (proved_at IS NULL OR CAST(%(chain_id)s AS bigint) IS NULL OR chain_id = CAST(%(chain_id)s AS bigint))
RETURNING account_id
