SELECT
    chain_of(days.chain_id) AS chain,
    days.chain_id AS chain_id,
    caip2_of(days.chain_id) AS caip2,
    text_of(days.chain_id, days.token) AS token,
    names.symbol AS symbol,
    names.name AS name,
    text_of(days.chain_id, days.wallet) AS wallet,
    days.day AS day,
    units_of(days.balance_raw, names.decimals) AS balance,
    toString(days.balance_raw) AS balance_raw,
    units_of(days.change_raw, names.decimals) AS change,
    toString(days.change_raw) AS change_raw,
    block_of(days.chain_id) AS as_of_block
FROM
(
    SELECT
        chain_id, token, wallet, day, change_raw,
        sum(change_raw) OVER (PARTITION BY chain_id, token, wallet ORDER BY day) AS balance_raw
    FROM
    (
        SELECT chain_id, token, wallet, day, sum(delta_raw) AS change_raw
        FROM published_agg_balance_day
        GROUP BY chain_id, token, wallet, day
        HAVING change_raw != 0
    )
) AS days
LEFT ANY JOIN token_name AS names ON names.chain_id = days.chain_id AND names.token = days.token
