SELECT chain_id, min((details ->> 'version')::bigint) AS version
FROM derive_checkpoint
WHERE subject IN ('documents', 'provenance')
GROUP BY chain_id
HAVING count(*) = 2 AND min((details ->> 'version')::bigint) IS NOT NULL
