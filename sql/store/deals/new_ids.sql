-- Ids for new deals, in the order of time.
SELECT uuidv7() AS id FROM generate_series(1, %(count)s)
