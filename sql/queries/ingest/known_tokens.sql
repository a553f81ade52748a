SELECT
    lower(hex(fact_token.address)) AS address,
    min(fact_token.first_block) AS first_block,
    toUnixTimestamp(min(fact_token.first_time)) AS first_time
FROM fact_token
WHERE chain_id = {chain_id:UInt32} AND read_block < {before:UInt64}
    AND fact_token.address IN (SELECT unhex(arrayJoin({addresses:Array(String)})))
GROUP BY fact_token.address
