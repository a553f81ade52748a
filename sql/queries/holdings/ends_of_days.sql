-- Of some days (UTC), the last published block of each, and whether a later one is published: then the day is over.
-- Looked for from a block on that is not later than any of them.
SELECT
    day,
    maxIf(block_number, toDate(block_time) <= day) AS last_block,
    max(toDate(block_time)) > day AS is_over
FROM published_raw_block
CROSS JOIN (SELECT toDate(arrayJoin({days:Array(String)})) AS day) AS asked
WHERE chain_id = {chain_id:UInt32} AND block_number >= {since_block:UInt64}
GROUP BY day
ORDER BY day
