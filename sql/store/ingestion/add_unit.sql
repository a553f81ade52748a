INSERT INTO ingest_unit (unit_id, chain_id, first_block, last_block, last_hash, status)
VALUES (%(unit_id)s, %(chain_id)s, %(first_block)s, %(last_block)s, %(last_hash)s, 'pending')
