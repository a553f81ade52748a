-- The next that another key than the present one encrypted, with what it is bound to.
SELECT id, sealed, id::text AS purpose, channel FROM contact
WHERE (CAST(%(after)s AS uuid) IS NULL OR id > %(after)s) AND substring(sealed FROM 1 FOR 5) <> %(mark)s
ORDER BY id
LIMIT %(limit)s
