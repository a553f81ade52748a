-- How balances of a token compare with what they were: for the table asked (wallet, balance then, group) and for the
-- end of each of some days (UTC), how many wallets of each group hold more, as much, less, or nothing any more.
SELECT
    {days:Array(String)}[place] AS day,
    held_out,
    count() AS accounts,
    countIf(end_raw > then_raw) AS more,
    countIf(end_raw = then_raw) AS same,
    countIf(end_raw < then_raw AND end_raw > 0) AS less,
    countIf(end_raw < then_raw AND end_raw <= 0) AS nothing
FROM
(
    SELECT
        asked.held_out AS held_out,
        toInt256(asked.balance) AS then_raw,
        arrayJoin(arrayEnumerate({days:Array(String)})) AS place,
        if(empty(ends_raw), toInt256(0), ends_raw[place]) AS end_raw
    FROM asked
    LEFT JOIN
    (
        SELECT
            lower(hex(wallet)) AS digits,
            sumForEach(arrayMap(last -> if(day <= toDate(last), delta_raw, toInt256(0)), {days:Array(String)})) AS ends_raw
        FROM published_agg_balance_day
        WHERE chain_id = {chain_id:UInt32} AND token = unhex({token:String})
          AND wallet IN (SELECT unhex(digits) FROM asked)
        GROUP BY wallet
    ) AS balances ON balances.digits = asked.digits
)
GROUP BY place, held_out
ORDER BY place, held_out
