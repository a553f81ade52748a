-- Active registrations of a symbol in the order of their mints, with the score of each one's token. linked: how many
-- are linked to the row, itself included: of the same owner, or each names the other as its peer. One
-- that only one names would let anybody link a registration to a famous one.
WITH standing AS (
    SELECT
        registration.chain_id, registration.token_id, registration.symbol, registration.owner, registration.minted_at,
        registration.peer_chain_id, registration.peer_token_id, token.score
    FROM registration
    LEFT JOIN indexed_token AS token
      ON token.chain_id = registration.chain_id AND token.address = registration.token_address
    WHERE registration.symbol = %(symbol)s AND registration.released_at IS NULL AND registration.expired_at IS NULL
)
SELECT
    row.chain_id, row.token_id, row.symbol, row.owner, row.minted_at, row.score,
    array_length(linked.chain_ids, 1) AS linked,
    linked.chain_ids[1] AS primary_chain_id
FROM standing AS row
CROSS JOIN LATERAL (
    SELECT array_agg(other.chain_id ORDER BY other.minted_at, other.chain_id) AS chain_ids
    FROM standing AS other
    WHERE other.owner = row.owner
       OR (other.chain_id, other.token_id) = (row.peer_chain_id, row.peer_token_id)
      AND (other.peer_chain_id, other.peer_token_id) = (row.chain_id, row.token_id)
) AS linked
ORDER BY row.minted_at, row.chain_id
