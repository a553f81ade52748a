-- What stands of the tokens asked for, by chain: registrations of the very tokens, and of their symbols on that chain;
-- of a store that has few, all there are on it. The lists are texts, with commas and by chain with semicolons: a driver
-- takes milliseconds to write thousands of array elements, or to read as many rows. Among many registrations a list is
-- looked up in one passage through an index: OFFSET 0 keeps the planner, who cannot know how many are asked for, from
-- hashing all of them twice. Among few it would compare each with the whole list.
WITH asked AS (
    SELECT chain_id::bigint AS chain_id, string_to_array(tokens, ',') AS tokens, string_to_array(symbols, ',') AS symbols
    FROM unnest(
        string_to_array(%(chain_ids)s, ','), string_to_array(%(tokens)s, ';'), string_to_array(%(symbols)s, ';')
    ) AS asked (chain_id, tokens, symbols)
),
size AS MATERIALIZED (
    SELECT count(*) > 2000 AS is_large FROM (SELECT FROM registration LIMIT 2001) AS counted
)
SELECT
    asked.chain_id,
    (
        SELECT coalesce(string_agg(token_address, ','), '')
        FROM (
            (
                SELECT token_address
                FROM registration
                WHERE chain_id = asked.chain_id AND token_address = ANY(asked.tokens)
                    AND released_at IS NULL AND expired_at IS NULL AND (SELECT is_large FROM size)
                OFFSET 0
            )
            UNION ALL
            (
                SELECT token_address
                FROM registration
                WHERE chain_id = asked.chain_id
                    AND released_at IS NULL AND expired_at IS NULL AND NOT (SELECT is_large FROM size)
                LIMIT 2000
            )
        ) AS found
    ) AS tokens,
    (
        SELECT coalesce(string_agg(symbol, ','), '')
        FROM (
            (
                SELECT symbol
                FROM registration
                WHERE chain_id = asked.chain_id AND symbol = ANY(asked.symbols)
                    AND released_at IS NULL AND expired_at IS NULL AND (SELECT is_large FROM size)
                OFFSET 0
            )
            UNION ALL
            (
                SELECT symbol
                FROM registration
                WHERE chain_id = asked.chain_id
                    AND released_at IS NULL AND expired_at IS NULL AND NOT (SELECT is_large FROM size)
                LIMIT 2000
            )
        ) AS found
    ) AS symbols
FROM asked
