UPDATE chain_checkpoint SET final_block = NULL WHERE chain_id = %(chain_id)s
