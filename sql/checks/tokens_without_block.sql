-- Tokens first seen at a block that is not indexed although later blocks are.
SELECT token.chain_id AS chain_id, lower(hex(token.address)) AS token, token.first_block AS first_block
FROM fact_token AS token
LEFT ANTI JOIN raw_block AS block ON block.chain_id = token.chain_id AND block.block_number = token.first_block
WHERE token.first_block >= (SELECT min(block_number) FROM raw_block WHERE raw_block.chain_id = token.chain_id)
LIMIT 100
