-- Verifying the same signature again keeps the first proof.
INSERT INTO claim_proof (
    proof_hash, chain_id, token_address, symbol, wallet, verification_method, methods_attempted, signed_at, expires_at
)
VALUES (
    %(proof_hash)s, %(chain_id)s, %(token_address)s, %(symbol)s, %(wallet)s, %(verification_method)s,
    %(methods_attempted)s, %(signed_at)s, %(expires_at)s
)
ON CONFLICT DO NOTHING
