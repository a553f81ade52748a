-- Decimals of the tokens that pools with a quote asset can price.
WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT lower(hex(identity.token)) AS token_hex, identity.decimals AS decimals
FROM agg_token AS identity FINAL
WHERE identity.chain_id = {chain_id:UInt32} AND identity.deleted = 0 AND identity.decimals IS NOT NULL
  AND ({all_tokens:UInt8} = 1 OR identity.token IN (SELECT key FROM work_key))
