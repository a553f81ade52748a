-- Tables of a schema.
SELECT oid, relname AS name, relpersistence = 'u' AS unlogged, reloptions AS options, relkind = 'p' AS partitioned
FROM pg_class
WHERE relnamespace = %(schema)s::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
  AND relname <> %(not_ours)s
ORDER BY relname
