-- Tokens whose holder count is not the number of wallets with a positive balance. Only tokens whose counts are as
-- recent as their balances are checked.
SELECT counted.chain_id AS chain_id, lower(hex(counted.token)) AS token_hex, counted.holders AS counted,
    held.holders AS held
FROM
(
    SELECT chain_id, token, holders_net AS holders, through_block
    FROM agg_token_hour FINAL
    WHERE hour = toDateTime(0, 'UTC')
) AS counted
INNER JOIN
(
    SELECT chain_id, token, countIf(balance_raw > 0 AND (wallet != token OR length(token) = 20)) AS holders
    FROM (SELECT chain_id, token, wallet, sum(delta_raw) AS balance_raw FROM agg_balance_day GROUP BY ALL)
    GROUP BY chain_id, token
) AS held ON held.chain_id = counted.chain_id AND held.token = counted.token
INNER JOIN
(
    SELECT chain_id, key AS token, max(from_block) AS touched_block
    FROM fact_change WHERE subject = 'token' GROUP BY chain_id, key
) AS touched ON touched.chain_id = counted.chain_id AND touched.token = counted.token
WHERE counted.holders != held.holders AND counted.through_block >= touched.touched_block
LIMIT 100
