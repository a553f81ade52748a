-- What the wallets of the table asked hold of a token as of the last published block, and how they came to it, if they
-- held some at the end of a day. Days are in UTC; today is the day of the query's clock. held_raw is what all
-- holders have together, and rank counts from 1, 0 for those who hold nothing.
SELECT
    lower(hex(wallet)) AS wallet_digits,
    toString(balance_raw) AS balance,
    toString(held_raw) AS held,
    first_day > toDate({today:String}) - 7 AS is_new,
    balance_raw <= intDiv(peak_raw, 2) AS is_reduced,
    balance_raw > intDiv(held_raw - 1, 100) AS is_whale,
    if(balance_raw > 0, rank, 0) AS holder_rank,
    (SELECT max(block_number) FROM published_chain WHERE chain_id = {chain_id:UInt32}) AS as_of_block
FROM
(
    SELECT
        wallet, balance_raw, first_day, peak_raw,
        sum(balance_raw) OVER () AS held_raw,
        row_number() OVER (ORDER BY balance_raw DESC, wallet) AS rank
    FROM
    (
        SELECT
            wallet,
            argMax(held_then_raw, day) AS balance_raw,
            min(day) AS first_day,
            greatest(
                maxIf(held_then_raw, day >= toDate({today:String}) - 30),
                argMaxIf(held_then_raw, day, day < toDate({today:String}) - 30)
            ) AS peak_raw
        FROM
        (
            SELECT wallet, day, sum(change_raw) OVER (PARTITION BY wallet ORDER BY day) AS held_then_raw
            FROM
            (
                SELECT wallet, day, sum(delta_raw) AS change_raw
                FROM published_agg_balance_day
                WHERE chain_id = {chain_id:UInt32} AND token = unhex({token:String})
                GROUP BY wallet, day
                HAVING change_raw != 0
            )
        )
        GROUP BY wallet
    )
)
WHERE wallet IN (SELECT unhex(digits) FROM asked)
