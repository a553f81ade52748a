-- Weights of all tokens in some consecutive hours, from the depths of their pools and the quotes of each hour, and what
-- follows from them: the window weight, the highest of 30 days, and since when the token has had depth. The last two
-- build on the stored rows of the hours before.
INSERT INTO agg_token_weight
WITH
-- What each pool that counts held in each hour, in units of the quote.
depths AS
(
    SELECT pool, moment AS hour, arrayLast(entry -> entry.1 <= moment, entries) AS entry
    FROM
    (
        SELECT
            pool,
            arraySort(groupArray((hour, depth0_raw, depth1_raw))) AS entries,
            arrayJoin({hours:Array(DateTime('UTC'))}) AS moment
        FROM agg_pool_depth FINAL
        WHERE chain_id = {chain_id:UInt32} AND deleted = 0
          AND hour >= toStartOfDay(arrayMin({hours:Array(DateTime('UTC'))}))
          AND hour <= arrayMax({hours:Array(DateTime('UTC'))})
        GROUP BY pool
    )
    WHERE entry.2 > 0 OR entry.3 > 0
),
sides AS
(
    SELECT depths.hour AS hour, pools.token AS token, pools.quote AS quote,
           least(if(pools.side = 0, depths.entry.3, depths.entry.2), toUInt256('1000000000000000000000000000000000000'))
               AS depth_raw
    FROM depths
    INNER JOIN
    (
        SELECT pool, seen.1 AS token, seen.2 AS quote, seen.3 AS side
        FROM
        (
            SELECT pool, token0, token1
            FROM fact_pool
            WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
            LIMIT 1 BY pool
        )
        ARRAY JOIN [(token0, token1, 0), (token1, token0, 1)] AS seen
        WHERE lower(hex(seen.2)) IN {quotes:Array(String)}
    ) AS pools ON pools.pool = depths.pool
),
-- USD are counted in millionths, rounded down.
weighed AS
(
    SELECT
        token, hour,
        toDecimal128(
            least(sum(toUInt256(micro - least(micro, toUInt256({min_depth_micro:UInt64})))),
                  toUInt256('1000000000000000000000000000000')), 0
        ) * toDecimal128('0.000001', 6) AS weight_usd
    FROM
    (
        SELECT
            sides.token AS token, sides.hour AS hour,
            intDiv(
                sides.depth_raw * toUInt256(toDecimal256(prices.usd, 18) * toDecimal256('1000000000000000000', 0)),
                toUInt256(transform(
                    lower(hex(sides.quote)), {quotes:Array(String)}, {divisors:Array(String)}, '1'))
            ) AS micro
        FROM sides
        INNER JOIN
        (
            SELECT hour, quote, usd FROM agg_quote_hour FINAL
            WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND hour IN {hours:Array(DateTime('UTC'))}
        ) AS prices ON prices.hour = sides.hour AND prices.quote = sides.quote
    )
    GROUP BY token, hour
    HAVING weight_usd > 0
),
gathered AS
(
    SELECT
        token,
        -- Hours with weight that a window may reach, the stored ones first.
        arraySort(groupArrayIf((toUInt32(hour), weight_usd), weight_usd > 0 AND age_hours < {window_hours:UInt32}))
            AS weights,
        arraySort(groupArrayIf(toUInt32(hour), is_new)) AS new_hours,
        toUInt32(maxIf(hour, NOT is_new AND weight_usd > 0)) AS last_hour,
        toUInt32(argMaxIf(since_hour, hour, NOT is_new AND weight_usd > 0)) AS last_since,
        -- Stored window weights; those that some of the new hours no longer remember one by one.
        groupArrayIf(
            (toUInt32(hour), held_usd),
            NOT is_new AND held_usd > 0 AND age_hours + {count:UInt32} > {remembered_hours:UInt32}
        ) AS oldest_held,
        maxIf(held_usd, NOT is_new AND age_hours + {count:UInt32} <= {remembered_hours:UInt32}) AS highest_held
    FROM
    (
        SELECT token, hour, weight_usd, toDecimal128(0, 6) AS held_usd, toDateTime(0, 'UTC') AS since_hour,
               1 AS is_new, toInt64(0) AS age_hours
        FROM weighed
        UNION ALL
        SELECT token, hour, weight_usd, held_usd, ifNull(since_hour, toDateTime(0, 'UTC')) AS since_hour, 0 AS is_new,
               dateDiff('hour', hour, arrayMin({hours:Array(DateTime('UTC'))})) AS age_hours
        FROM agg_token_weight FINAL
        WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND hour < arrayMin({hours:Array(DateTime('UTC'))})
          AND hour >= subtractHours(arrayMin({hours:Array(DateTime('UTC'))}), {kept_hours:UInt32})
    )
    GROUP BY token
),
windowed AS
(
    SELECT
        token, weights, last_hour, last_since, oldest_held, highest_held,
        arrayFilter(
            (hour, before) -> hour - before > {gap_hours:UInt32} * 3600,
            new_hours, arrayPopBack(arrayPushFront(new_hours, last_hour))
        ) AS starts,
        arrayMap(
            hour ->
            (
                hour,
                arrayReverseSort(arrayMap(
                    entry -> entry.2,
                    arrayFilter(
                        entry -> entry.1 <= hour AND entry.1 + {window_hours:UInt32} * 3600 > hour, weights
                    )
                ))[intDiv(
                    least(
                        {window_hours:UInt32}, intDiv(hour + 3600 - toUInt32({history_from:DateTime('UTC')}), 3600)
                    ) * 6 + 6, 7)]
            ),
            arrayMap(hour -> toUInt32(hour), {hours:Array(DateTime('UTC'))})
        ) AS held,
        arrayConcat([last_hour], new_hours) AS weighted_hours
    FROM gathered
)
SELECT {chain_id:UInt32}, token, hour, weight_usd, held_usd, established_usd, since_hour, 0, {version:UInt64}
FROM
(
    SELECT
        token,
        toDateTime(now.1, 'UTC') AS hour,
        arraySum(arrayMap(entry -> entry.2, arrayFilter(entry -> entry.1 = now.1, weights))) AS weight_usd,
        now.2 AS held_usd,
        arrayMax(arrayConcat(
            [highest_held],
            arrayMap(
                entry -> entry.2,
                arrayFilter(
                    entry -> entry.1 <= now.1 AND entry.1 + {remembered_hours:UInt32} * 3600 > now.1,
                    arrayConcat(oldest_held, held)
                )
            )
        )) AS established_usd,
        arrayMax(arrayFilter(weighted -> weighted <= now.1, weighted_hours)) AS latest,
        arrayFilter(start -> start <= now.1, starts) AS begun,
        if(
            latest = 0 OR now.1 - latest > {gap_hours:UInt32} * 3600, NULL,
            toDateTime(if(empty(begun), last_since, arrayMax(begun)), 'UTC')
        ) AS since_hour
    FROM windowed
    ARRAY JOIN held AS now
)
WHERE since_hour IS NOT NULL OR established_usd > 0
