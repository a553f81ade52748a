-- The weights of the last complete hour, one text per column: of each token that has or had depth the window weight, the
-- highest one, and the hour and block since which it has had depth. And the first block after that hour.
WITH
hours AS
(
    SELECT 1 AS one, toStartOfHour(block_time) AS hour, min(block_number) AS first_block
    FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
    GROUP BY hour
),
weights AS
(
    SELECT 1 AS one, token, held_usd, established_usd, ifNull(since_hour, toDateTime(0, 'UTC')) AS since_hour
    FROM agg_token_weight FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour = {hour:DateTime('UTC')} AND deleted = 0
)
SELECT
    arrayStringConcat(groupArray(if(length(weights.token) = 32, base58Encode(weights.token), concat('0x', lower(hex(weights.token))))), ',') AS addresses,
    arrayStringConcat(groupArray(toString(weights.held_usd)), ',') AS weights_usd,
    arrayStringConcat(groupArray(toString(weights.established_usd)), ',') AS established_usd,
    arrayStringConcat(groupArray(toString(toUInt32(weights.since_hour))), ',') AS since_seconds,
    arrayStringConcat(groupArray(toString(hours.first_block)), ',') AS since_blocks,
    (SELECT min(first_block) FROM hours WHERE hour > {hour:DateTime('UTC')}) AS weighed_block
FROM weights
ASOF LEFT JOIN hours ON hours.one = weights.one AND weights.since_hour <= hours.hour
