-- Where the tokens in work_token are counted from: on from what is counted (incremental), or anew.
SELECT after_block >= 0 AS incremental, min(from_block) AS first_block
FROM work_token
GROUP BY incremental
