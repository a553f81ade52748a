-- Active registrations among the tokens asked for, by chain: registrations of those tokens, and of their symbols on
-- that chain. If the store has few registrations, all of the chain's are returned. Parameters and results are texts,
-- separated by commas and, between chains, by semicolons: drivers take milliseconds to write arrays of thousands of
-- elements or to read as many rows. With many registrations each list is looked up through an index; OFFSET 0 keeps the
-- planner, which cannot know the length of the lists, from hashing the whole table twice. With few registrations the
-- planner would compare each row with the whole list.
WITH asked AS (
    SELECT chain_id::bigint AS chain_id, string_to_array(tokens, ',') AS tokens,
        string_to_array(symbols, ',') AS symbols
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
