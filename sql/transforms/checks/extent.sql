-- A chain's first block, and roughly how many events it has.
SELECT
    (SELECT min(block_number) FROM raw_block WHERE chain_id = {chain_id:UInt32}) AS first_block,
    (SELECT count() FROM fact_transfer WHERE chain_id = {chain_id:UInt32})
        + (SELECT count() FROM fact_swap WHERE chain_id = {chain_id:UInt32})
        + (SELECT count() FROM raw_block WHERE chain_id = {chain_id:UInt32}) AS events
