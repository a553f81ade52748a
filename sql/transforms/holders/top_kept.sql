-- Largest holders from those kept and those touched, where that is enough to know the first ten for certain.
INSERT INTO agg_top_holder
SELECT
    {chain_id:UInt32},
    token,
    arrayMap(holder -> holder.2, arraySlice(ranked, 1, 64)),
    arrayMap(holder -> holder.1, arraySlice(ranked, 1, 64)),
    if(length(ranked) > 64, ranked[64].1, floor_raw),
    if(dead_moved, moved_dead_raw, kept_dead_raw),
    {version:UInt64}
FROM
(
    SELECT
        token,
        max(old_floor_raw) AS floor_raw,
        max(old_dead_raw) AS kept_dead_raw,
        maxIf(candidate_raw, moved AND wallet = unhex({dead:String})) AS moved_dead_raw,
        countIf(moved AND wallet = unhex({dead:String})) > 0 AS dead_moved,
        arraySort(
            holder -> (-holder.1, holder.2),
            groupArrayIf((candidate_raw, wallet), candidate_raw > 0 AND candidate_raw >= old_floor_raw)
        ) AS ranked
    FROM
    (
        SELECT
            wallet.token AS token, wallet.wallet AS wallet, wallet.balance_raw AS candidate_raw,
            kept.floor_raw AS old_floor_raw, kept.dead_raw AS old_dead_raw, 1 AS moved
        FROM work_wallet AS wallet
        INNER JOIN
        (
            SELECT token, floor_raw, dead_raw FROM agg_top_holder FINAL
            WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM work_token WHERE after_block >= 0)
        ) AS kept ON kept.token = wallet.token
        UNION ALL
        SELECT token, holder.1 AS wallet, holder.2 AS candidate_raw, floor_raw AS old_floor_raw,
               dead_raw AS old_dead_raw, 0 AS moved
        FROM
        (
            SELECT token, wallets, balances_raw, floor_raw, dead_raw FROM agg_top_holder FINAL
            WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM work_token WHERE after_block >= 0)
        )
        ARRAY JOIN arrayZip(wallets, balances_raw) AS holder
        WHERE (token, wallet) NOT IN (SELECT token, wallet FROM work_wallet)
    )
    GROUP BY token
)
WHERE floor_raw = 0 OR length(ranked) >= 10
