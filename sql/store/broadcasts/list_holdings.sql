-- What the recipients of a broadcast held when they were chosen.
SELECT wallet, balance_raw, held_out FROM broadcast_recipient WHERE broadcast_id = %(id)s
