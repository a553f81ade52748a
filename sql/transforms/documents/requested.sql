-- Tokens whose documents were requested for one of these causes, or for any if none is given, and whether a new score
-- was the only cause.
SELECT lower(hex(token)) AS token, min(cause = 'heartbeat') AS merely_scored
FROM agg_document_request
WHERE chain_id = {chain_id:UInt32} AND version > {after_version:UInt64} AND version <= {version:UInt64}
  AND (empty({causes:Array(String)}) OR has({causes:Array(String)}, cause))
GROUP BY agg_document_request.token
ORDER BY token
