-- What stands of the tokens asked for: registrations of the very token, and of its symbol on its chain.
WITH asked AS (
    SELECT *
    FROM unnest(%(chain_ids)s::bigint[], %(tokens)s::text[], %(symbols)s::text[]) AS asked (chain_id, token, symbol)
)
SELECT registration.chain_id, registration.token_address, registration.symbol
FROM asked
JOIN registration ON registration.chain_id = asked.chain_id AND registration.token_address = asked.token
WHERE registration.released_at IS NULL AND registration.expired_at IS NULL
UNION
SELECT registration.chain_id, registration.token_address, registration.symbol
FROM asked
JOIN registration ON registration.symbol = asked.symbol AND registration.chain_id = asked.chain_id
WHERE registration.released_at IS NULL AND registration.expired_at IS NULL
