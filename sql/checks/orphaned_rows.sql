-- Rows of a unit that does not own their block: left by a unit that was reverted or abandoned.
SELECT name AS table_name, chain_id, block_number, unit_id, count() AS number
FROM
(
    SELECT chain_id, block_number, unit_id, 'fact_transfer' AS name FROM fact_transfer
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_swap' FROM fact_swap
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_pool_state' FROM fact_pool_state
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_liquidity' FROM fact_liquidity
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_pool' FROM fact_pool
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_pool_position' FROM fact_pool_position
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_contract_creation' FROM fact_contract_creation
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_control' FROM fact_control
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_registry_event' FROM fact_registry_event
    UNION ALL SELECT chain_id, block_number, unit_id, 'fact_vault_event' FROM fact_vault_event
    UNION ALL SELECT chain_id, read_block, unit_id, 'fact_token' FROM fact_token
) AS facts
LEFT ANTI JOIN
(
    SELECT chain_id, block_number, unit_id FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND block_number BETWEEN {from_block:UInt64} AND {to_block:UInt64}
) AS block
    ON block.chain_id = facts.chain_id AND block.block_number = facts.block_number AND block.unit_id = facts.unit_id
WHERE facts.chain_id = {chain_id:UInt32} AND facts.block_number BETWEEN {from_block:UInt64} AND {to_block:UInt64}
GROUP BY name, chain_id, block_number, unit_id
LIMIT 100
