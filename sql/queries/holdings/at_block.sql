-- Who held how much of a token at a final block: what is known as of the last published block, without what moved since.
-- as_of_block is the given block, or the last published one where the index is behind. Left out are the accounts that are
-- named and the pools of the token.
WITH least({block:Int64}, (SELECT max(block_number) FROM published_chain WHERE chain_id = {chain_id:UInt32})) AS at
SELECT lower(hex(wallet)) AS wallet_digits, toString(sum(delta_raw)) AS held, toUInt64(any(at)) AS as_of_block
FROM
(
    SELECT wallet, delta_raw
    FROM published_agg_balance_day
    WHERE chain_id = {chain_id:UInt32} AND token = unhex({token:String})
    UNION ALL
    SELECT side.1 AS wallet, -side.2 AS delta_raw
    FROM published_fact_transfer
    ARRAY JOIN [(to_address, toInt256(amount_raw)), (from_address, -toInt256(amount_raw))] AS side
    WHERE chain_id = {chain_id:UInt32} AND token = unhex({token:String}) AND block_number > at
)
WHERE wallet NOT IN (SELECT unhex(arrayJoin({excluded:Array(String)})))
  AND wallet NOT IN
  (
      SELECT pool
      FROM published_fact_pool
      WHERE chain_id = {chain_id:UInt32} AND (token0 = unhex({token:String}) OR token1 = unhex({token:String}))
  )
GROUP BY wallet
HAVING sum(delta_raw) > 0
ORDER BY wallet
LIMIT {limit:UInt64}
