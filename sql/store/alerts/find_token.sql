-- What a rule on a token may rest on: the token's symbol, null while it is not indexed, and its active registration.
SELECT
    (
        SELECT symbol_key FROM indexed_token WHERE chain_id = %(chain_id)s AND address = %(address)s
    ) AS symbol,
    (
        SELECT symbol
        FROM registration
        WHERE chain_id = %(chain_id)s AND token_address = %(address)s AND released_at IS NULL AND expired_at IS NULL
        ORDER BY minted_at DESC
        LIMIT 1
    ) AS registered_symbol
