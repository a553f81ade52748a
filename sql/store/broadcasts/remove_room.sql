DELETE FROM community_room WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND channel = %(channel)s
