-- The tokens to update and from which block: after the last block in their totals, or in full if a change reaches below
-- it (a reorg, or a refresh run that did not finish).
INSERT INTO work_token
SELECT
    {chain_id:UInt32},
    changed.token,
    if(totals.token != '' AND totals.through_block < changed.from_block, toInt64(totals.through_block), toInt64(-1)),
    changed.from_block
FROM
(
    SELECT key AS token, min(from_block) AS from_block
    FROM fact_change
    WHERE chain_id = {chain_id:UInt32}
      AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
      AND subject = 'token'
      AND cityHash64(key) % {parts:UInt32} = {part:UInt32}
    GROUP BY key
) AS changed
LEFT JOIN
(
    SELECT token, through_block
    FROM agg_token_hour FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC')
      AND token IN
      (
          SELECT key FROM fact_change
          WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
            AND subject = 'token'
      )
) AS totals ON totals.token = changed.token
