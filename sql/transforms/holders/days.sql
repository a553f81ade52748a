-- New and former holders for each day that contains new transfers. For a day that was already counted in part, only the
-- difference between the wallet's old and new balance at the end of the day is added.
INSERT INTO agg_holder_day
WITH
work_move AS (SELECT * EXCEPT chain_id FROM work_move WHERE chain_id = {chain_id:UInt32}),
work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32}),
work_wallet AS (SELECT * EXCEPT chain_id FROM work_wallet WHERE chain_id = {chain_id:UInt32})
SELECT {chain_id:UInt32}, token, day, sum(entering), sum(leaving), {version:UInt64}
FROM
(
    SELECT
        token,
        day,
        toInt64(start_raw <= 0 AND end_raw > 0) - toInt64(start_raw <= 0 AND counted_raw > 0) AS entering,
        toInt64(start_raw > 0 AND end_raw <= 0) - toInt64(start_raw > 0 AND counted_raw <= 0) AS leaving
    FROM
    (
        -- A wallet's balance before the new transfers is its first move, at day 0. shift_raw leads from there back to
        -- the start of its first day: it undoes what that day had already moved.
        SELECT
            token,
            day,
            sum(delta_raw) OVER days AS end_raw,
            end_raw - delta_raw AS counted_raw,
            counted_raw + lagInFrame(shift_raw, 1, toInt256(0)) OVER days AS start_raw
        FROM
        (
            SELECT token, wallet, toDate(hour) AS day, sum(delta_raw) AS delta_raw, toInt256(0) AS shift_raw
            FROM work_move
            WHERE wallet != unhex({zero:String}) AND wallet != '' AND (wallet != token OR length(token) = 20)
            GROUP BY token, wallet, day
            UNION ALL
            SELECT token, wallet, toDate(0), before_raw, day_start_raw - before_raw
            FROM work_wallet
            WHERE before_raw != 0 OR day_start_raw != 0
        )
        WINDOW days AS (PARTITION BY token, wallet ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WHERE day > toDate(0)
    UNION ALL
    SELECT
        token,
        day,
        if(is_replaced, 0, entering),
        if(is_replaced, 0, leaving)
    FROM
    (
        SELECT
            *,
            -- Days whose transfers were dropped stay.
            token IN (SELECT token FROM work_token WHERE after_block < 0)
                AND day >= toDate((SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32}))
                AS is_replaced
        FROM agg_holder_day FINAL
        WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM work_token)
          AND (
              token IN (SELECT token FROM work_token WHERE after_block < 0)
              OR (token, day) IN (SELECT token, toDate(hour) FROM work_move)
          )
    )
)
GROUP BY token, day
