-- Wallets that are served as an authority of a token and are not. Tokens of which a change waits for a refresh run are
-- left out.
SELECT served.chain_id AS chain_id, lower(hex(served.token)) AS token_hex, lower(hex(served.wallet)) AS wallet_hex,
    served.method AS method
FROM
(
    SELECT chain_id, token, wallet, method, deleted
    FROM serve_provenance
    WHERE chain_id = {chain_id:UInt32} AND method IN ('mint_authority', 'update_authority')
      AND version <= (SELECT max(version) FROM serve_publication)
      AND in_part(token)
    ORDER BY version DESC
    LIMIT 1 BY wallet, chain_id, token, method
) AS served
LEFT JOIN
(
    SELECT chain_id, token, authorities
    FROM agg_token FINAL
    WHERE deleted = 0 AND chain_id = {chain_id:UInt32} AND in_range(token)
) AS identity
    ON identity.chain_id = served.chain_id AND identity.token = served.token
WHERE served.deleted = 0
  AND (served.chain_id, served.token) NOT IN (SELECT chain_id, token FROM agg_document_request)
  AND NOT arrayExists(held -> held.1 = served.method AND held.2 = served.wallet, identity.authorities)
LIMIT 100
