SELECT
    chain_of(published.chain_id) AS chain,
    published.chain_id AS chain_id,
    caip2_of(published.chain_id) AS caip2,
    config.native_symbol AS native_symbol,
    toUInt64(published.block_number) AS as_of_block,
    blocks.block_time AS as_of_time,
    dropped.first_block AS transfers_from_block
FROM published_chain AS published
LEFT JOIN (SELECT * FROM chain_config FINAL) AS config ON config.chain_id = published.chain_id
LEFT JOIN
(
    SELECT chain_id, block_number, toNullable(block_time) AS block_time
    FROM raw_block
    WHERE (chain_id, block_number) IN (SELECT chain_id, block_number FROM published_chain)
) AS blocks ON blocks.chain_id = published.chain_id
LEFT JOIN
(
    SELECT chain_id, max(first_block) AS first_block FROM dropped_month GROUP BY chain_id
) AS dropped ON dropped.chain_id = published.chain_id
