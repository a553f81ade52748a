-- Served metrics that are zero although they are unknown.
SELECT chain_id, lower(hex(address)) AS token_hex, price_usd, market_cap_usd, price_confidence
FROM serve_token
WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND in_part(address)
  AND (price_usd <= 0 OR (price_usd IS NULL) != (price_confidence IS NULL)
      OR (price_usd IS NULL AND market_cap_usd IS NOT NULL))
LIMIT 100
