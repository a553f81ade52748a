-- Tokens first seen at a block that is not indexed although later blocks are.
SELECT token.chain_id AS chain_id, lower(hex(token.address)) AS token_hex, token.first_block AS first_block
FROM fact_token AS token
LEFT ANTI JOIN
(
    SELECT chain_id, block_number FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND block_number BETWEEN {from_block:UInt64} AND {to_block:UInt64}
) AS block ON block.chain_id = token.chain_id AND block.block_number = token.first_block
WHERE token.chain_id = {chain_id:UInt32} AND token.first_block BETWEEN {from_block:UInt64} AND {to_block:UInt64}
  AND token.first_block >= (SELECT min(block_number) FROM raw_block WHERE raw_block.chain_id = {chain_id:UInt32})
LIMIT 100
