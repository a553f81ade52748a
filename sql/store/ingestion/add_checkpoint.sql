INSERT INTO chain_checkpoint (chain_id, generation) VALUES (%(chain_id)s, 0) ON CONFLICT DO NOTHING
