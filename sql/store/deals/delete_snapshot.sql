DELETE FROM deal_snapshot WHERE deal_id = %(id)s
