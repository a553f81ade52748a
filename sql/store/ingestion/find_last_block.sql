-- The last block of a chain that was published.
SELECT block_number, block_time FROM chain_checkpoint WHERE chain_id = %(chain_id)s
