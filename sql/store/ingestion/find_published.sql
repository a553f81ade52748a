-- A chain's last published block, and the unit that ends with it.
SELECT
    block_number, block_time, final_block, pending,
    (
        SELECT unit_id FROM ingest_unit
        WHERE ingest_unit.chain_id = chain_checkpoint.chain_id
          AND last_block = chain_checkpoint.block_number AND status = 'published'
        ORDER BY unit_id DESC
        LIMIT 1
    ) AS unit_id
FROM chain_checkpoint
WHERE chain_id = %(chain_id)s
