-- Balances of the touched wallets: now, before the new transfers, and at the start of the first of their days. A wallet
-- that sold all on the day it bought may have no row left: rows whose sum is zero disappear when they are merged. The
-- hash rules out nearly all other rows before two strings are compared; the key finds the granules.
INSERT INTO work_wallet
WITH
work_move AS (SELECT * EXCEPT chain_id FROM work_move WHERE chain_id = {chain_id:UInt32}),
work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT
    {chain_id:UInt32},
    moved.token,
    moved.wallet,
    sum(balances.delta_raw) AS balance_raw,
    balance_raw - any(moved.moved_raw) AS before_raw,
    sumIf(balances.delta_raw, balances.day < moved.first_day) AS day_start_raw
FROM
(
    SELECT token, wallet, day, delta_raw
    FROM agg_balance_day
    PREWHERE cityHash64(token, wallet) IN (SELECT cityHash64(token, wallet) FROM work_move)
    WHERE chain_id = {chain_id:UInt32} AND (token, wallet) IN
    (
        SELECT token, wallet FROM work_move
        WHERE token IN (SELECT token FROM work_token WHERE after_block >= 0)
    )
) AS balances
RIGHT JOIN
(
    SELECT token, wallet, sum(delta_raw) AS moved_raw, toDate(min(hour)) AS first_day
    FROM work_move
    WHERE wallet != unhex({zero:String}) AND wallet != '' AND (wallet != token OR length(token) = 20)
      AND token IN (SELECT token FROM work_token WHERE after_block >= 0)
    GROUP BY token, wallet
) AS moved ON moved.token = balances.token AND moved.wallet = balances.wallet
GROUP BY moved.token, moved.wallet
-- Too little work to be worth compiling expressions.
SETTINGS compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0
