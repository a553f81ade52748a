-- Served holder counts of randomly chosen tokens, each with the block that it is true of. Tokens with more transfers than
-- {most} are left out, since they would be replayed from their first one, and so are those beyond {most_in_all}
-- transfers together.
SELECT token, as_of_block, holders
FROM
(
    SELECT lower(hex(served.address)) AS token, served.as_of_block AS as_of_block,
        toUInt64(assumeNotNull(served.holders)) AS holders,
        sum(counted.transfers) OVER (
            ORDER BY place, served.address ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS transfers_so_far
    FROM
    (
        SELECT address, as_of_block, holders, deleted, rand() AS place
        FROM serve_token
        WHERE chain_id = {chain_id:UInt32} AND version <= {version:UInt64}
          AND in_part(address)
        ORDER BY version DESC
        LIMIT 1 BY symbol_key, chain_id, address
    ) AS served
    LEFT JOIN
    (
        SELECT token, transfers FROM agg_token_hour FINAL
        WHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC') AND in_range(token)
    ) AS counted ON counted.token = served.address
    WHERE served.deleted = 0 AND served.holders IS NOT NULL AND counted.transfers <= {most:Int64}
)
WHERE transfers_so_far <= {most_in_all:Int64}
LIMIT {sample:UInt32}
