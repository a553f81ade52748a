-- What each wallet gained or lost in each new final block, and in all later blocks together (last_block is then the
-- highest possible number): balances are known at the published block and are computed backwards from there.
INSERT INTO work_move
WITH work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT
    {chain_id:UInt32},
    token,
    side.1 AS wallet,
    toStartOfHour(max(block_time)),
    sum(side.2),
    0,
    max(block_time),
    if(block_number > {final:UInt64}, 18446744073709551615, block_number) AS block
FROM fact_transfer
ARRAY JOIN [tuple(from_address, -toInt256(amount_raw)), tuple(to_address, toInt256(amount_raw))] AS side
WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM work_token)
  AND block_number >= {first:UInt64} AND block_number <= {through:UInt64}
GROUP BY token, wallet, block
