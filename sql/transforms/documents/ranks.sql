-- Write the newest row of every token whose rank changed, with its new rank. A token without a market has no rank.
-- Ranks are computed from a few columns; complete rows are read only where the rank changed.
INSERT INTO serve_token
SELECT standing.* REPLACE (
    {version:UInt64} AS version,
    if(places.place > 0, toNullable(places.place), NULL) AS token_rank
)
FROM serve_token AS standing
INNER JOIN
(
    SELECT symbol_key, chain_id, address, version, place
    FROM
    (
        SELECT symbol_key, chain_id, address, version, token_rank,
               if(market_score > 0,
                  row_number() OVER (ORDER BY market_score DESC, chain_id, address), 0) AS place
        FROM
        (
            SELECT symbol_key, chain_id, address, version, deleted, market_score, token_rank
            FROM serve_token
            ORDER BY version DESC
            LIMIT 1 BY symbol_key, chain_id, address
        )
        WHERE deleted = 0
    )
    WHERE ifNull(token_rank, 0) != place
) AS places
    ON places.symbol_key = standing.symbol_key AND places.chain_id = standing.chain_id
   AND places.address = standing.address AND places.version = standing.version
