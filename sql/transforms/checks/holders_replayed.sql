-- How many wallets held something of some tokens, each at a block of its own: balances from all transfers up to it, where
-- they begin after dropped ones from the sums of the days before. No token changed between its block and these days.
-- Tokens and blocks come as one text.
WITH asked AS
(
    SELECT unhex(splitByChar(':', part)[1]) AS token, toUInt64(splitByChar(':', part)[2]) AS block
    FROM (SELECT arrayJoin(splitByChar(',', materialize({tokens:String}))) AS part)
)
SELECT lower(hex(token)) AS token_hex, toUInt64(countIf(balance_raw > 0)) AS holders
FROM
(
    SELECT token, wallet, sum(delta_raw) AS balance_raw
    FROM
    (
        SELECT transfer.token AS token, side.1 AS wallet, side.2 AS delta_raw
        FROM fact_transfer AS transfer
        INNER JOIN asked ON asked.token = transfer.token
        ARRAY JOIN [tuple(from_address, -toInt256(amount_raw)), tuple(to_address, toInt256(amount_raw))] AS side
        WHERE chain_id = {chain_id:UInt32} AND transfer.token IN (SELECT token FROM asked)
          AND block_number <= asked.block AND side.1 != repeat('\0', 20)
          AND block_time >= (SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32})
        UNION ALL
        SELECT token, wallet, delta_raw
        FROM agg_balance_day
        WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM asked)
          AND day < toDate((SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32}))
    )
    WHERE wallet != token OR length(token) = 20
    GROUP BY token, wallet
)
GROUP BY token
