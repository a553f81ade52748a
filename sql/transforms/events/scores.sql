-- Scores of registered tokens at the ends of some hours, without scores computed before their hour ended.
SELECT lower(hex(token)) AS token_hex, toUInt32(hour) AS began, score, weights_version, inputs
FROM agg_heartbeat FINAL
WHERE chain_id = {chain_id:UInt32} AND hour >= {first:DateTime('UTC')} AND hour < {until:DateTime('UTC')}
  AND token IN
  (
      SELECT token_address FROM fact_registry_event
      WHERE chain_id = {chain_id:UInt32} AND block_number <= {final:UInt64} AND kind = 'registered'
  )
  AND JSONExtractUInt(inputs, 'as_of') = toUInt32(hour) + 3600
ORDER BY hour, token
