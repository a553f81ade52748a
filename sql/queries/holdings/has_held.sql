-- Whether a wallet held a token at the end of any day, or holds it as of the last published block.
SELECT count() > 0 AS has_held
FROM
(
    SELECT day
    FROM published_agg_balance_day
    WHERE chain_id = {chain_id:UInt32} AND token = unhex({token:String}) AND wallet = unhex({wallet:String})
    GROUP BY day
    HAVING sum(delta_raw) != 0
    LIMIT 1
)
