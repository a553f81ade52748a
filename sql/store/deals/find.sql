-- A deal, with who holds its registration now; holder_now is null where the registration has ended or was minted anew.
SELECT deal.*, registration.owner AS holder_now
FROM deal
LEFT JOIN registration ON registration.chain_id = deal.chain_id AND registration.token_id = deal.token_id
    AND registration.transaction_hash = deal.mint_transaction
    AND released_at IS NULL AND expired_at IS NULL
WHERE deal.id = %(id)s
