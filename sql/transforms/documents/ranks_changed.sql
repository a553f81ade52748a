SELECT count() AS changed
FROM
(
    SELECT token_rank, market_score,
           row_number() OVER (ORDER BY market_score DESC, chain_id, address) AS place
    FROM
    (
        SELECT chain_id, address, deleted, market_score, token_rank
        FROM serve_token
        ORDER BY version DESC
        LIMIT 1 BY symbol_key, chain_id, address
    )
    WHERE deleted = 0
)
WHERE ifNull(token_rank, 0) != if(market_score > 0, place, 0)
