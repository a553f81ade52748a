-- Tokens whose newest row says that the node has to be read, the longest known first.
SELECT lower(hex(fact_token.address)) AS address, max(fact_token.read_block) AS read_block
FROM fact_token
WHERE chain_id = {chain_id:UInt32}
GROUP BY fact_token.address
HAVING argMax(read_status, (fact_token.read_block, unit_id)) = 'unread'
ORDER BY min(fact_token.first_block)
LIMIT {limit:UInt32}
