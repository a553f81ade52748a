-- What stands of the tokens asked for: registrations of the very token, and of its symbol on its chain. The lists are
-- texts with commas, place by place: a driver takes milliseconds to write thousands of array elements. OFFSET 0 keeps
-- each look-up by key: the planner cannot know how many are asked for, and would read and hash all registrations twice.
WITH asked AS (
    SELECT chain_id::bigint AS chain_id, token, symbol
    FROM unnest(
        string_to_array(%(chain_ids)s, ','), string_to_array(%(tokens)s, ','), string_to_array(%(symbols)s, ',')
    ) AS asked (chain_id, token, symbol)
)
SELECT found.chain_id, found.token_address, found.symbol
FROM asked
CROSS JOIN LATERAL (
    SELECT chain_id, token_address, symbol
    FROM registration
    WHERE chain_id = asked.chain_id AND token_address = asked.token AND released_at IS NULL AND expired_at IS NULL
    OFFSET 0
) AS found
UNION ALL
SELECT found.chain_id, found.token_address, found.symbol
FROM (SELECT DISTINCT chain_id, symbol FROM asked) AS named
CROSS JOIN LATERAL (
    SELECT chain_id, token_address, symbol
    FROM registration
    WHERE symbol = named.symbol AND chain_id = named.chain_id AND released_at IS NULL AND expired_at IS NULL
    OFFSET 0
) AS found
