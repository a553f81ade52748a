-- Claims that were built, with the registration that came of each; one without names no wallet, and is told only after
-- its deadline: whoever knew before could be faster. A block's time may be minutes before ours.
SELECT claim.chain_id, claim.id::text AS claim_id, claim.token_address AS token, claim.symbol,
       coalesce(made.owner, '') AS wallet, claim.verification_method, claim.fee_wei AS fee_raw, claim.price_usd,
       extract(epoch FROM claim.created_at)::bigint AS built_at, extract(epoch FROM claim.deadline)::bigint AS deadline,
       made.token_id
FROM claim_authorization AS claim
LEFT JOIN LATERAL (
    SELECT token_id, owner
    FROM registration
    WHERE registration.chain_id = claim.chain_id AND registration.symbol = claim.symbol
      AND registration.token_address = claim.token_address AND registration.owner = claim.wallet
      AND registration.minted_at BETWEEN claim.created_at - interval '5 minutes' AND claim.deadline
    ORDER BY minted_at DESC
    LIMIT 1
) AS made ON true
WHERE claim.created_at >= %(since)s::timestamptz - interval '1 hour'
  AND (made.token_id IS NOT NULL OR claim.deadline < now())
ORDER BY claim.chain_id, claim.id
