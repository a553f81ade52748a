-- Columns of a table, in their order.
SELECT
    attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS required, attidentity AS identity,
    attgenerated AS generated, pg_get_expr(adbin, adrelid) AS default_value
FROM pg_attribute
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attrelid = %(oid)s AND attnum > 0 AND NOT attisdropped
ORDER BY attnum
