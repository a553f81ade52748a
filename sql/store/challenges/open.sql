-- Open a challenge. No row where the token challenged this registration before, or another challenge of it is at work.
INSERT INTO registration_challenge (
    chain_id, token_id, mint_transaction, symbol, symbol_folded, registered_token, minted_at, challenger_token,
    challenger_wallet, verification_method, account_id, opened_at, decide_at
)
VALUES (
    %(chain_id)s, %(token_id)s, %(mint_transaction)s, %(symbol)s, %(symbol_folded)s, %(registered_token)s,
    %(minted_at)s, %(challenger_token)s, %(challenger_wallet)s, %(verification_method)s, %(account_id)s, %(opened_at)s,
    %(decide_at)s
)
ON CONFLICT DO NOTHING
RETURNING *
