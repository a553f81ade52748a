-- Deals that are not over although their registration ended before a moment, or was replaced by another mint.
-- holder_now: who had it at its end.
SELECT deal.*, CASE WHEN registration.transaction_hash = deal.mint_transaction THEN registration.owner END AS holder_now
FROM deal
JOIN registration USING (chain_id, token_id)
WHERE stage NOT IN ('settling', 'completed', 'closed') AND status <> 'migrating'
  AND (registration.transaction_hash <> deal.mint_transaction OR coalesce(released_at, expired_at) < %(before)s)
ORDER BY deal.id
LIMIT %(limit)s
