-- Sequences that no column owns, views and functions.
SELECT 'sequence ' || relname AS name, NULL AS definition
FROM pg_class
WHERE relnamespace = %(schema)s::regnamespace AND relkind = 'S'
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype IN ('a', 'i') AND refobjsubid > 0)
UNION ALL
SELECT 'view ' || relname, pg_get_viewdef(oid)
FROM pg_class
WHERE relnamespace = %(schema)s::regnamespace AND relkind IN ('v', 'm')
UNION ALL
SELECT 'function ' || proname, pg_get_functiondef(oid)
FROM pg_proc
WHERE pronamespace = %(schema)s::regnamespace AND prokind <> 'a'
ORDER BY 1
