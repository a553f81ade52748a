-- Percent of all balances that the ten largest holders of tokens had at the ends of days from {from} to {until}. The
-- tokens are those in work_key, or the one in {token}.
WITH watched AS
(
    SELECT key FROM work_key WHERE chain_id = {chain_id:UInt32} AND {token:String} = ''
    UNION ALL
    SELECT unhex({token:String}) AS key WHERE {token:String} != ''
)
SELECT
    lower(hex(token)) AS token_hex,
    86400 * (toInt64(toUInt32(day)) + 1) AS at,
    100 * toFloat64(top10_raw) / toFloat64(held_raw) AS top10_concentration
FROM agg_top_day FINAL
WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM watched) AND deleted = 0 AND held_raw > 0
    AND toUInt32(day) + 1 >= intDiv({from:UInt32}, 86400) AND toUInt32(day) + 1 <= intDiv({until:UInt32}, 86400)
ORDER BY at
