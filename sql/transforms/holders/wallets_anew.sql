-- Wallets of tokens that are recomputed in full: their balance before is zero.
INSERT INTO work_wallet
WITH
work_move AS (SELECT * EXCEPT chain_id FROM work_move WHERE chain_id = {chain_id:UInt32}),
work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT {chain_id:UInt32}, token, wallet, sum(delta_raw), toInt256(0), toInt256(0)
FROM work_move
WHERE wallet != unhex({zero:String}) AND wallet != '' AND (wallet != token OR length(token) = 20)
  AND token IN (SELECT token FROM work_token WHERE after_block < 0)
GROUP BY token, wallet
SETTINGS optimize_aggregation_in_order = 1
