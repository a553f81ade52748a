-- Tokens whose copy verdict, or that of a token with the same symbol, may have changed as hours closed: those that
-- gained or lost depth, seniority or weight in the hours that came into the verdict or left it, and all tokens with
-- depth that share a symbol with another. For hours that were computed again: every token that had rows in them.
WITH
recent AS
(
    SELECT
        token, hour,
        (held_usd > 0, since_hour IS NOT NULL, established_usd >= {established_usd:Decimal(38, 6)}) AS flags
    FROM agg_token_weight FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0
      AND hour >= subtractHours({before:DateTime('UTC')}, {settle_hours:UInt32}) AND hour < {until:DateTime('UTC')}
),
changed AS
(
    SELECT token
    FROM recent
    -- From the last hour of the closing before on.
    WHERE hour >= subtractHours({before:DateTime('UTC')}, 1)
    GROUP BY token
    HAVING uniqExact(flags) > 1
        OR count() != dateDiff('hour', {before:DateTime('UTC')}, {until:DateTime('UTC')}) + 1
    UNION DISTINCT
    -- The hours that the verdict no longer looks at, and the first one that it still does.
    SELECT token
    FROM recent
    WHERE hour < subtractHours({until:DateTime('UTC')}, {settle_hours:UInt32} - 1)
    GROUP BY token
    HAVING uniqExact(flags) > 1
        OR count() != dateDiff('hour', {before:DateTime('UTC')}, {until:DateTime('UTC')}) + 1
    UNION DISTINCT
    SELECT token
    FROM agg_token_weight
    WHERE chain_id = {chain_id:UInt32} AND hour >= {recomputed_from:DateTime('UTC')}
),
alike AS
(
    SELECT arrayJoin(tokens) AS token
    FROM
    (
        SELECT groupUniqArray(address) AS tokens
        FROM
        (
            SELECT address, symbol_folded, deleted
            FROM serve_token
            WHERE chain_id = {chain_id:UInt32} AND address IN (SELECT token FROM recent)
            ORDER BY version DESC
            LIMIT 1 BY symbol_key, address
        )
        WHERE deleted = 0
        GROUP BY symbol_folded
        HAVING length(tokens) > 1
    )
)
SELECT lower(hex(token)) AS token_hex
FROM (SELECT token FROM changed UNION DISTINCT SELECT token FROM alike)
ORDER BY token_hex
