-- The tables and views of a database. keeps_rows: nothing but a statement changes how many rows there are; the engine
-- neither merges rows nor lets them expire.
SELECT
    database,
    name,
    NOT endsWith(engine, 'MergeTree') AS is_view,
    engine = 'MergeTree' AND position(create_table_query, ' TTL ') = 0 AS keeps_rows,
    toUInt64(ifNull(total_rows, 0)) AS rows
FROM system.tables
WHERE database = {database:String} AND NOT startsWith(name, '.inner')
ORDER BY name
