-- The tokens whose largest holder is one of some accounts. Reads the largest holders of all tokens.
SELECT lower(hex(token)) AS token_hex
FROM agg_top_holder FINAL
PREWHERE chain_id = {chain_id:UInt32}
WHERE wallets[1] IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({accounts:String})))))
SETTINGS max_threads = 1
