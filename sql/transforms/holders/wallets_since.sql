-- The same as wallets_anew.sql where earlier transfers were dropped: what a wallet held when the kept ones begin is the
-- sum of the days before.
INSERT INTO work_wallet
WITH
work_move AS (SELECT * EXCEPT chain_id FROM work_move WHERE chain_id = {chain_id:UInt32}),
work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT {chain_id:UInt32}, moved.token, moved.wallet, held.opening_raw + moved.moved_raw, held.opening_raw, held.opening_raw
FROM
(
    SELECT token, wallet, sum(delta_raw) AS moved_raw
    FROM work_move
    WHERE wallet != unhex({zero:String}) AND wallet != '' AND (wallet != token OR length(token) = 20)
      AND token IN (SELECT token FROM work_token WHERE after_block < 0)
    GROUP BY token, wallet
) AS moved
LEFT JOIN
(
    SELECT token, wallet, sum(delta_raw) AS opening_raw
    FROM agg_balance_day
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM work_token WHERE after_block < 0)
      AND day < toDate((SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32}))
    GROUP BY token, wallet
) AS held ON held.token = moved.token AND held.wallet = moved.wallet
