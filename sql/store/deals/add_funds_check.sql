INSERT INTO deal_funds_check (
    account_id, deal_id, wallet, chain_id, currency_address, amount_raw, required_raw, balance_raw, funded_percent,
    verified, block_number, statement, statement_hash, signature, checked_at
)
VALUES (
    %(account_id)s, %(deal_id)s, %(wallet)s, %(chain_id)s, %(currency_address)s, %(amount_raw)s, %(required_raw)s,
    %(balance_raw)s, %(funded_percent)s, %(verified)s, %(block_number)s, %(statement)s::jsonb, %(statement_hash)s,
    %(signature)s, %(checked_at)s
)
