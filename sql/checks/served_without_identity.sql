-- Visible tokens that are not, or are no longer, tokens.
SELECT served.chain_id AS chain_id, lower(hex(served.address)) AS token_hex, served.symbol_key AS symbol
FROM
(
    SELECT chain_id, address, symbol_key, deleted
    FROM serve_token
    WHERE chain_id = {chain_id:UInt32} AND version <= (SELECT max(version) FROM serve_publication)
      AND in_part(address)
    ORDER BY version DESC
    LIMIT 1 BY symbol_key, chain_id, address
) AS served
LEFT JOIN
(
    SELECT chain_id, token, symbol, deleted
    FROM agg_token FINAL
    WHERE chain_id = {chain_id:UInt32} AND in_range(token)
) AS identity
    ON identity.chain_id = served.chain_id AND identity.token = served.address
WHERE served.deleted = 0 AND (identity.token = '' OR identity.deleted = 1)
LIMIT 100
