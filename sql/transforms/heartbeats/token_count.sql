SELECT count() AS tokens
FROM agg_token
WHERE chain_id = {chain_id:UInt32}
