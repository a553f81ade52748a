-- Deals, newest first: those that fit every condition that is given, with the number of all of them. A deal waits for a
-- wallet while it is offered and the wallet holds the registration. The chains of the wallets are those that they count
-- on; null is any.
SELECT deal.*, registration.owner AS holder_now, count(*) OVER () AS total
FROM deal
LEFT JOIN registration ON registration.chain_id = deal.chain_id AND registration.token_id = deal.token_id
    AND registration.transaction_hash = deal.mint_transaction
    AND released_at IS NULL AND expired_at IS NULL
WHERE (%(symbol)s::text IS NULL OR deal.symbol = %(symbol)s)
  AND (%(chain_id)s::bigint IS NULL OR deal.chain_id = %(chain_id)s)
  AND (%(token_id)s::bigint IS NULL OR deal.token_id = %(token_id)s)
  AND (%(group_id)s::uuid IS NULL OR deal.group_id = %(group_id)s)
  AND (%(deal_type)s::text IS NULL OR deal_type = %(deal_type)s)
  AND (%(status)s::text IS NULL OR status = %(status)s)
  AND (%(wallets)s::text[] IS NULL OR EXISTS (
    SELECT
    FROM unnest(%(wallets)s::text[], %(wallet_chains)s::bigint[]) AS own (wallet, chain_id)
    WHERE (own.chain_id IS NULL OR own.chain_id = deal.chain_id)
      AND ((%(as_offerer)s AND own.wallet = deal.offerer)
        OR (%(as_holder)s AND own.wallet = deal.holder)
        OR (%(waiting)s AND status = 'draft' AND own.wallet = registration.owner))
  ))
ORDER BY deal.id DESC
LIMIT %(limit)s OFFSET %(offset)s
