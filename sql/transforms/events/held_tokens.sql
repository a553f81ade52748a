-- Registered tokens whose balances changed in some units.
SELECT DISTINCT lower(hex(key)) AS token
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id >= {first_unit:UInt64} AND change_id <= {last_unit:UInt64}
  AND subject = 'token'
  AND key IN
  (
      SELECT token_address FROM fact_registry_event
      WHERE chain_id = {chain_id:UInt32} AND block_number <= {final:UInt64} AND kind = 'registered'
  )
