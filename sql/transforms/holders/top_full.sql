-- Largest holders computed from all balances, for the touched tokens whose stored largest holders did not suffice.
INSERT INTO agg_top_holder
WITH work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32})
SELECT
    {chain_id:UInt32},
    work.token,
    arrayMap(holder -> holder.2, arraySlice(ranked, 1, 64)),
    arrayMap(holder -> holder.1, arraySlice(ranked, 1, 64)),
    if(length(ranked) > 64, ranked[64].1, toInt256(0)),
    dead.balance_raw,
    {version:UInt64}
FROM
(
    SELECT token FROM work_token
    WHERE token NOT IN
    (
        SELECT token FROM agg_top_holder FINAL
        WHERE chain_id = {chain_id:UInt32} AND version = {version:UInt64} AND token IN (SELECT token FROM work_token)
    )
) AS work
LEFT JOIN
(
    SELECT token, arraySort(holder -> (-holder.1, holder.2), groupArray((balance_raw, wallet))) AS ranked
    FROM
    (
        SELECT token, wallet, sum(delta_raw) AS balance_raw
        FROM agg_balance_day
        WHERE chain_id = {chain_id:UInt32} AND (wallet != token OR length(token) = 20)
          AND token IN
          (
              SELECT token FROM work_token
              WHERE token NOT IN
              (
                  SELECT token FROM agg_top_holder FINAL
                  WHERE chain_id = {chain_id:UInt32} AND version = {version:UInt64}
                    AND token IN (SELECT token FROM work_token)
              )
          )
        GROUP BY token, wallet
        HAVING balance_raw > 0
        ORDER BY token, balance_raw DESC, wallet
        LIMIT 65 BY token
    )
    GROUP BY token
) AS top ON top.token = work.token
LEFT JOIN
(
    SELECT token, sum(delta_raw) AS balance_raw
    FROM agg_balance_day
    WHERE chain_id = {chain_id:UInt32} AND (token, wallet) IN (SELECT token, unhex({dead:String}) FROM work_token)
    GROUP BY token
) AS dead ON dead.token = work.token
