-- Tokens that changes of these subjects touched.
INSERT INTO agg_document_request
SELECT {version:UInt64}, {chain_id:UInt32}, key, {cause:String}
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
  AND subject IN {subjects:Array(String)}
GROUP BY key
