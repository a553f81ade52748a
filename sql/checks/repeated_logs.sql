-- Logs stored more than once: no two logs have the same position in a chain.
SELECT name AS table_name, chain_id, block_number, log_index, count() AS number
FROM
(
    SELECT chain_id, block_number, log_index, 'fact_transfer' AS name FROM fact_transfer
    UNION ALL SELECT chain_id, block_number, log_index, 'fact_swap' FROM fact_swap
    UNION ALL SELECT chain_id, block_number, log_index, 'fact_liquidity' FROM fact_liquidity
    UNION ALL SELECT chain_id, block_number, log_index, 'fact_registry_event' FROM fact_registry_event
    UNION ALL SELECT chain_id, block_number, log_index, 'fact_vault_event' FROM fact_vault_event
)
WHERE chain_id = {chain_id:UInt32} AND block_number BETWEEN {from_block:UInt64} AND {to_block:UInt64}
GROUP BY name, chain_id, block_number, log_index
HAVING number > 1
LIMIT 100
