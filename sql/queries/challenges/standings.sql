-- What tokens weighed in some hours. An hour without a row is zero in everything.
SELECT
    lower(hex(token)) AS token_hex,
    toUnixTimestamp(hour) AS hour_seconds,
    toString(held_usd) AS held,
    toString(established_usd) AS established,
    if(isNull(since_hour), NULL, toUnixTimestamp(assumeNotNull(since_hour))) AS since_seconds
FROM agg_token_weight FINAL
WHERE chain_id = {chain_id:UInt32} AND deleted = 0
    AND token IN (SELECT arrayJoin(arrayMap(text -> unhex(text), {tokens:Array(String)})))
    AND hour IN (SELECT toDateTime(arrayJoin({hours:Array(UInt32)}), 'UTC'))
