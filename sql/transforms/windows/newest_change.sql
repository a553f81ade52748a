-- The newest change of a chain below a number. Reads backwards in the table's order.
SELECT change_id
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id < {below:UInt64}
ORDER BY chain_id DESC, change_id DESC
LIMIT 1
