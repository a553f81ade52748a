SELECT EXISTS (SELECT FROM copy_sighting WHERE chain_id = %(chain_id)s AND told_at IS NULL) AS untold
