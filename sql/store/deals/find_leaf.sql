SELECT account, held_raw, place FROM deal_snapshot WHERE deal_id = %(id)s AND account = %(account)s
