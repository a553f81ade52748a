-- Visible tokens that are not, or are no longer, tokens.
SELECT served.chain_id AS chain_id, lower(hex(served.address)) AS token_hex, served.symbol_key AS symbol
FROM
(
    SELECT chain_id, address, symbol_key, deleted
    FROM serve_token
    WHERE chain_id = {chain_id:UInt32} AND version <= (SELECT max(version) FROM serve_publication)
      AND address >= unhex({from_token:String})
      AND ({to_token:String} = '' OR address < unhex({to_token:String}))
      AND ({up_to:UInt64} = 0 OR address IN (
          SELECT key FROM fact_change
          WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
      ))
    ORDER BY version DESC
    LIMIT 1 BY symbol_key, chain_id, address
) AS served
LEFT JOIN
(
    SELECT chain_id, token, symbol, deleted
    FROM agg_token FINAL
    WHERE chain_id = {chain_id:UInt32} AND token >= unhex({from_token:String})
      AND ({to_token:String} = '' OR token < unhex({to_token:String}))
) AS identity
    ON identity.chain_id = served.chain_id AND identity.token = served.address
WHERE served.deleted = 0 AND (identity.token = '' OR identity.deleted = 1)
LIMIT 100
