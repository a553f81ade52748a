-- Largest holders computed from the stored ones and the touched wallets, where these suffice to determine the first
-- ten. Each stored row is read once; balances of its wallets that moved are taken from the moves.
INSERT INTO agg_top_holder
WITH
work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32}),
work_wallet AS (SELECT * EXCEPT chain_id FROM work_wallet WHERE chain_id = {chain_id:UInt32})
SELECT
    {chain_id:UInt32},
    token,
    arrayMap(holder -> holder.2, arraySlice(ranked, 1, 64)),
    arrayMap(holder -> holder.1, arraySlice(ranked, 1, 64)),
    if(length(ranked) > 64, ranked[64].1, floor_raw),
    if(dead_at > 0, moved[dead_at].1, dead_raw),
    {version:UInt64}
FROM
(
    SELECT
        kept.token AS token,
        kept.floor_raw AS floor_raw,
        kept.dead_raw AS dead_raw,
        touched.moved AS moved,
        arrayMap(holder -> holder.2, moved) AS moved_wallets,
        indexOf(moved_wallets, unhex({dead:String})) AS dead_at,
        arraySort(
            holder -> (-holder.1, holder.2),
            arrayFilter(
                holder -> holder.1 > 0 AND holder.1 >= floor_raw,
                arrayConcat(
                    moved,
                    arrayFilter(
                        holder -> NOT has(moved_wallets, holder.2), arrayZip(kept.balances_raw, kept.wallets)
                    )
                )
            )
        ) AS ranked
    FROM
    (
        SELECT token, wallets, balances_raw, floor_raw, dead_raw
        FROM agg_top_holder FINAL
        WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM work_token WHERE after_block >= 0)
    ) AS kept
    LEFT JOIN
    (
        SELECT token, groupArray((balance_raw, wallet)) AS moved
        FROM work_wallet
        GROUP BY token
    ) AS touched ON touched.token = kept.token
    WHERE notEmpty(kept.wallets) OR notEmpty(touched.moved)
)
WHERE floor_raw = 0 OR length(ranked) >= 10
-- Too little work to be worth compiling expressions.
SETTINGS compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0
