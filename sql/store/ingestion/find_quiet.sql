-- How long ago an indexer last wrote anything about a chain, in seconds. One that follows it does with each look.
SELECT extract(epoch FROM now() - updated_at)::float AS seconds FROM chain_checkpoint WHERE chain_id = %(chain_id)s
