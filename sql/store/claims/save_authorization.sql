INSERT INTO claim_authorization (
    chain_id, token_address, symbol, wallet, proof_hash, verification_method, nonce, fee_wei, price_usd, deadline
)
VALUES (
    %(chain_id)s, %(token_address)s, %(symbol)s, %(wallet)s, %(proof_hash)s, %(verification_method)s, %(nonce)s,
    %(fee_wei)s, %(price_usd)s, %(deadline)s
)
