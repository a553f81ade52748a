-- Served holder counts of randomly chosen tokens, each with the block that it is true of. Tokens with more transfers than
-- {most} are left out: they would be replayed from their first one.
SELECT lower(hex(address)) AS token, as_of_block, toUInt64(assumeNotNull(holders)) AS holders
FROM
(
    SELECT address, as_of_block, holders, deleted
    FROM serve_token
    WHERE chain_id = {chain_id:UInt32} AND version <= {version:UInt64}
    ORDER BY version DESC
    LIMIT 1 BY symbol_key, chain_id, address
)
WHERE deleted = 0 AND holders IS NOT NULL AND address NOT IN
(
    SELECT token FROM agg_token_hour FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC') AND transfers > {most:Int64}
)
ORDER BY rand()
LIMIT {sample:UInt32}
