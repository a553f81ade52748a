-- What stands of the tokens asked for, by chain: registrations of the very tokens, and of their symbols on that chain.
-- The lists are texts, with commas and by chain with semicolons: a driver takes milliseconds to write thousands of
-- array elements, or to read as many rows. A list is looked up in one passage through its index. OFFSET 0 keeps it so:
-- the planner cannot know how many are asked for, and would read and hash all registrations twice.
WITH asked AS (
    SELECT chain_id::bigint AS chain_id, string_to_array(tokens, ',') AS tokens, string_to_array(symbols, ',') AS symbols
    FROM unnest(
        string_to_array(%(chain_ids)s, ','), string_to_array(%(tokens)s, ';'), string_to_array(%(symbols)s, ';')
    ) AS asked (chain_id, tokens, symbols)
)
SELECT
    asked.chain_id,
    (
        SELECT coalesce(string_agg(token_address, ','), '')
        FROM (
            SELECT token_address
            FROM registration
            WHERE chain_id = asked.chain_id AND token_address = ANY(asked.tokens)
                AND released_at IS NULL AND expired_at IS NULL
            OFFSET 0
        ) AS found
    ) AS tokens,
    (
        SELECT coalesce(string_agg(symbol, ','), '')
        FROM (
            SELECT symbol
            FROM registration
            WHERE chain_id = asked.chain_id AND symbol = ANY(asked.symbols)
                AND released_at IS NULL AND expired_at IS NULL
            OFFSET 0
        ) AS found
    ) AS symbols
FROM asked
