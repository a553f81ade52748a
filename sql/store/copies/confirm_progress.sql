-- All copy verdicts of the chain hold as of a later block, with the same weights.
UPDATE copy_progress SET as_of_block = %(as_of_block)s, as_of_time = %(as_of_time)s WHERE chain_id = %(chain_id)s
