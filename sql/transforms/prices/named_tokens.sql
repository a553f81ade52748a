-- The tokens in work_key.
SELECT DISTINCT lower(hex(key)) AS token
FROM work_key
