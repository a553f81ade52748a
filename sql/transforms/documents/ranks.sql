-- The newest row of every token again with its place, where that is another. Without a market there is no place.
INSERT INTO serve_token
SELECT * EXCEPT (place) REPLACE (
    {version:UInt64} AS version,
    if(place > 0, toNullable(place), NULL) AS token_rank
)
FROM
(
    SELECT *
    FROM
    (
        SELECT *,
               if(market_score > 0,
                  row_number() OVER (ORDER BY market_score DESC, holders DESC, chain_id, address), 0) AS place
        FROM
        (
            SELECT *
            FROM serve_token
            ORDER BY version DESC
            LIMIT 1 BY symbol_key, chain_id, address
        )
        WHERE deleted = 0
    )
    WHERE ifNull(token_rank, 0) != place
)
