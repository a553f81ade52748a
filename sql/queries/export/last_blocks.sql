-- The last published block of each chain.
SELECT chain_id, block_number FROM published_chain ORDER BY chain_id
