SELECT proof_hash, chain_id, token_address, symbol, wallet, verification_method, expires_at
FROM claim_proof
WHERE proof_hash = %(proof_hash)s
