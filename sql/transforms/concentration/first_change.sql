-- The earliest time from which balances changed.
SELECT toUInt32(minOrNull(from_time)) AS first_time
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64} AND subject = 'token'
