-- The standings of some tokens at the ends of some hours. Absent: no depth.
SELECT
    lower(hex(token)) AS token_hex, toUInt32(hour) AS hour_seconds, held_usd, established_usd,
    toUInt32(since_hour) AS since_seconds
FROM agg_token_weight FINAL
WHERE chain_id = {chain_id:UInt32}
  AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
  AND hour >= {first_hour:DateTime('UTC')} AND hour <= {last_hour:DateTime('UTC')} AND deleted = 0
SETTINGS max_threads = 1
