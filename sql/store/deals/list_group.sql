-- The deals of a group, locked in one order, so that simultaneous moves of its members wait for each other.
SELECT deal.*, registration.owner AS holder_now
FROM deal
LEFT JOIN registration ON registration.chain_id = deal.chain_id AND registration.token_id = deal.token_id
    AND registration.transaction_hash = deal.mint_transaction
    AND released_at IS NULL AND expired_at IS NULL
WHERE group_id = %(group_id)s
ORDER BY deal.id
FOR UPDATE OF deal
