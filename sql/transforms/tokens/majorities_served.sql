-- The tokens of which some accounts were ever served as the holders of the majority.
SELECT DISTINCT lower(hex(token)) AS token_hex
FROM serve_provenance
PREWHERE wallet IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({accounts:String})))))
WHERE chain_id = {chain_id:UInt32} AND method = 'majority_holder'
SETTINGS max_threads = 1
