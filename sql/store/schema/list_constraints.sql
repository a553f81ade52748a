-- A table's constraints, then the indexes that belong to none of them, then its triggers.
SELECT 1 AS place, conname AS name, pg_get_constraintdef(oid) AS definition
FROM pg_constraint
WHERE conrelid = %(oid)s AND contype <> 'n'
UNION ALL
SELECT 2, relname, pg_get_indexdef(indexrelid)
FROM pg_index
JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = %(oid)s AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = %(oid)s)
UNION ALL
SELECT 3, tgname, pg_get_triggerdef(oid)
FROM pg_trigger
WHERE tgrelid = %(oid)s AND NOT tgisinternal
ORDER BY place, name
