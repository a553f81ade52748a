-- From which block the tokens in work_token are counted: on from the stored totals (incremental), or in full.
SELECT after_block >= 0 AS incremental, min(from_block) AS first_block
FROM work_token
GROUP BY incremental
