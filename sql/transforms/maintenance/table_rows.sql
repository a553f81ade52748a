-- Rows of every table as they are stored: superseded ones count until they are merged away.
SELECT table AS name, sum(rows) AS row_count
FROM system.parts
WHERE active AND database = currentDatabase()
GROUP BY name
