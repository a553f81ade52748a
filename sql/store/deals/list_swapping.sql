-- Merges whose swap may be open on the chain, the oldest first.
SELECT deal.*, NULL::text AS holder_now
FROM deal
JOIN deal_vault ON deal_vault.deal_id = deal.id
WHERE stage = 'swap_window' AND status <> 'paused'
ORDER BY deal.id
