INSERT INTO asset_run (asset, chain_id, started_at, seconds, row_count, range_from, range_to)
VALUES (%(asset)s, %(chain_id)s, %(started_at)s, %(seconds)s, %(row_count)s, %(range_from)s, %(range_to)s)
