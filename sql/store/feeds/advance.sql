-- Moves on through which block a chain's buys are told, unless another worker has done so: then it returns no row.
UPDATE alert_feed_progress SET block_number = %(through)s
WHERE chain_id = %(chain_id)s AND block_number = %(told)s
RETURNING chain_id
