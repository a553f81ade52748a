-- One table of a person's or a program's, if there is any.
SELECT oid::regclass::text AS name
FROM pg_class
WHERE relkind IN ('r', 'p')
  AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
LIMIT 1
