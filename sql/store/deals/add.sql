INSERT INTO deal (
    id, deal_type, status, stage, deadline, deadline_kind, group_id, chain_id, token_id, mint_transaction, symbol,
    token_address, offerer, offerer_account, amount, amount_raw, currency, currency_address, amount_usd, terms, message,
    funded_percent, expires_at, created_at, market_cap_usd, minted_at
)
VALUES (
    %(id)s, %(deal_type)s, %(status)s, %(stage)s, %(deadline)s, %(deadline_kind)s, %(group_id)s, %(chain_id)s,
    %(token_id)s, %(mint_transaction)s, %(symbol)s, %(token_address)s, %(offerer)s, %(offerer_account)s, %(amount)s,
    %(amount_raw)s, %(currency)s, %(currency_address)s, %(amount_usd)s, %(terms)s::jsonb, %(message)s,
    %(funded_percent)s, %(expires_at)s, %(created_at)s, %(market_cap_usd)s, %(minted_at)s
)
