-- The newest unexpired proof of exactly this claim.
SELECT proof_hash, chain_id, token_address, symbol, wallet, verification_method, expires_at
FROM claim_proof
WHERE chain_id = %(chain_id)s AND token_address = %(token_address)s AND symbol = %(symbol)s AND wallet = %(wallet)s
  AND expires_at > %(now)s
ORDER BY expires_at DESC
LIMIT 1
