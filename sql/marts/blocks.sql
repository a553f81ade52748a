SELECT
    chain_of(blocks.chain_id) AS chain,
    blocks.chain_id AS chain_id,
    caip2_of(blocks.chain_id) AS caip2,
    blocks.block_number AS block_number,
    blocks.block_time AS block_time,
    text_of(blocks.chain_id, blocks.block_hash) AS block_hash,
    text_of(blocks.chain_id, blocks.parent_hash) AS parent_hash,
    blocks.transaction_count AS transaction_count,
    block_of(blocks.chain_id) AS as_of_block
FROM published_raw_block AS blocks
