-- How many rows the exported tables have, roughly: for the progress bar.
SELECT sum(total_rows) FROM system.tables
WHERE database = currentDatabase() AND name IN {tables:Array(String)}
