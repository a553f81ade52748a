-- The token that a symbol refers to on a chain, with its score and its registration: of the tokens asked for, the
-- registered one, else the named one, else the original.
WITH registered AS (
    SELECT token.*, registration.token_id, registration.owner, registration.minted_at
    FROM registration
    JOIN indexed_token AS token
      ON token.chain_id = registration.chain_id AND token.address = registration.token_address
     AND token.symbol_key = registration.symbol
    WHERE registration.symbol = %(symbol)s AND registration.chain_id = %(chain_id)s
      AND registration.released_at IS NULL AND registration.expired_at IS NULL
      AND (%(address)s::text IS NULL OR token.address = %(address)s)
    ORDER BY token.precedence, token.address
    LIMIT 1
),
meant AS (
    SELECT * FROM registered
    UNION ALL
    SELECT named.*, NULL, NULL, NULL
    FROM indexed_token AS named
    WHERE named.chain_id = %(chain_id)s AND named.address = %(address)s::text AND named.symbol_key = %(symbol)s
      AND NOT EXISTS (SELECT FROM registered)
    UNION ALL
    (
        SELECT original.*, NULL, NULL, NULL
        FROM indexed_token AS original
        WHERE original.symbol_key = %(symbol)s AND original.chain_id = %(chain_id)s AND %(address)s::text IS NULL
          AND NOT EXISTS (SELECT FROM registered)
        ORDER BY original.precedence, original.address
        LIMIT 1
    )
)
SELECT
    symbol_key, chain_id, address, score, timestamp_score, volume_score, holders_score, confidence_score, scored_at,
    as_of_block, token_id, owner, minted_at
FROM meant
