-- The tokens in work_key.
WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT DISTINCT lower(hex(key)) AS token
FROM work_key
