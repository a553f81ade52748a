-- Add to the counters of a chain; counts is an object of numbers by name.
INSERT INTO service_counter (name, chain_id, value)
SELECT key, %(chain_id)s, value::bigint FROM jsonb_each_text(%(counts)s)
ON CONFLICT (name, chain_id) DO UPDATE SET value = service_counter.value + excluded.value
