-- Wallets of tokens that are recomputed in full: their balance before is zero.
INSERT INTO work_wallet
SELECT token, wallet, sum(delta_raw), toInt256(0), toInt256(0)
FROM work_move
WHERE wallet != unhex({zero:String}) AND wallet != '' AND (wallet != token OR length(token) = 20)
  AND token IN (SELECT token FROM work_token WHERE after_block < 0)
GROUP BY token, wallet
SETTINGS optimize_aggregation_in_order = 1
