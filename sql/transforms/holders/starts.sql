-- From which block the tokens in work_token are counted: on from the stored totals (incremental), or in full.
WITH work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT after_block >= 0 AS incremental, min(from_block) AS first_block
FROM work_token
GROUP BY incremental
