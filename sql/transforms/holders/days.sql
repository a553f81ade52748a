-- Entering and leaving holders of the days that the new transfers fall in. Of a day that was already counted in part,
-- only the difference between the wallet's old and new end of day is added.
INSERT INTO agg_holder_day
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
        SELECT
            move.token AS token,
            move.day AS day,
            wallet.before_raw + sum(move.delta_raw) OVER days AS end_raw,
            end_raw - move.delta_raw AS counted_raw,
            if(row_number() OVER days = 1, wallet.day_start_raw, counted_raw) AS start_raw
        FROM
        (
            SELECT token, wallet, toDate(hour) AS day, sum(delta_raw) AS delta_raw
            FROM work_move
            WHERE wallet != unhex({zero:String}) AND wallet != ''
            GROUP BY token, wallet, day
        ) AS move
        INNER JOIN work_wallet AS wallet ON wallet.token = move.token AND wallet.wallet = move.wallet
        WINDOW days AS (
            PARTITION BY move.token, move.wallet ORDER BY move.day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        )
    )
    UNION ALL
    SELECT
        token,
        day,
        if(token IN (SELECT token FROM work_token WHERE after_block < 0), 0, entering),
        if(token IN (SELECT token FROM work_token WHERE after_block < 0), 0, leaving)
    FROM agg_holder_day FINAL
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM work_token)
      AND (
          token IN (SELECT token FROM work_token WHERE after_block < 0)
          OR (token, day) IN (SELECT token, toDate(hour) FROM work_move)
      )
)
GROUP BY token, day
