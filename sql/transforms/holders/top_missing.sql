-- How many of the touched tokens need top_full.sql because their stored largest holders did not suffice. No version is
-- newer than that of the refresh run.
WITH work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT count() AS missing
FROM work_token
WHERE token NOT IN
(
    SELECT token FROM agg_top_holder
    WHERE chain_id = {chain_id:UInt32} AND version = {version:UInt64} AND token IN (SELECT token FROM work_token)
)
