-- Everything a scrape asks of the warehouse, in one row: the published version (0: none), disks, tables and merges. The engine
-- keeps what it tells of tables and parts in memory; `parts` is the most that a partition of the table has.
SELECT
    published.version AS version,
    published.published_at AS published_at,
    mapKeys(published.as_of_blocks) AS chain_ids,
    mapValues(published.as_of_blocks) AS blocks,
    (SELECT groupArray((name, free_space, total_space)) FROM system.disks) AS disks,
    (
        SELECT groupArray((table, rows, bytes, parts))
        FROM
        (
            SELECT table, sum(rows) AS rows, sum(bytes) AS bytes, max(parts) AS parts
            FROM
            (
                SELECT table, partition_id, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts
                FROM system.parts WHERE active AND database = currentDatabase()
                GROUP BY table, partition_id
            )
            GROUP BY table
        )
    ) AS tables,
    (SELECT (count(), max(elapsed)) FROM system.merges WHERE database = currentDatabase()) AS merges
FROM
(
    SELECT max(version) AS version, any(published_at) AS published_at, any(as_of_blocks) AS as_of_blocks
    FROM (SELECT version, published_at, as_of_blocks FROM serve_publication ORDER BY version DESC LIMIT 1)
) AS published
