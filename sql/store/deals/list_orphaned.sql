-- Deals that are not over although their registration ended before a moment, or a reorganisation put another mint, which
-- is final, under its id.
-- holder_now: who had it at its end.
SELECT deal.*, CASE WHEN registration.transaction_hash = deal.mint_transaction THEN registration.owner END AS holder_now
FROM deal
JOIN registration USING (chain_id, token_id)
WHERE stage NOT IN ('settling', 'completed', 'closed') AND status <> 'migrating'
  AND (
      (registration.transaction_hash <> deal.mint_transaction AND registration.is_final)
      OR (registration.transaction_hash = deal.mint_transaction AND coalesce(released_at, expired_at) < %(before)s)
  )
ORDER BY deal.id
LIMIT %(limit)s
