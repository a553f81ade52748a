-- The block up to which a chain is published, and whether a unit or a reorganisation is unfinished.
SELECT block_number, pending IS NOT NULL AS unfinished
FROM chain_checkpoint
WHERE chain_id = %(chain_id)s AND block_number IS NOT NULL
