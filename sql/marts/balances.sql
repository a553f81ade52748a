SELECT
    chain_of(held.chain_id) AS chain,
    held.chain_id AS chain_id,
    caip2_of(held.chain_id) AS caip2,
    text_of(held.chain_id, held.token) AS token,
    names.symbol AS symbol,
    names.name AS name,
    text_of(held.chain_id, held.wallet) AS wallet,
    units_of(held.balance_raw, names.decimals) AS balance,
    toString(held.balance_raw) AS balance_raw,
    held.first_day AS first_day,
    held.last_day AS last_day,
    block_of(held.chain_id) AS as_of_block
FROM published_balance AS held
LEFT ANY JOIN token_name AS names ON names.chain_id = held.chain_id AND names.token = held.token
