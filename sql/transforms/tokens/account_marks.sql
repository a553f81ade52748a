-- What the facts and the kept marks say differently about which accounts created the touched tokens or were put in charge
-- of them: each pair as the facts have it (stated), and as it is kept (kept).
WITH touched AS
(
    SELECT DISTINCT key AS token
    FROM fact_change
    WHERE chain_id = {chain_id:UInt32}
      AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
      AND subject IN ('metadata', 'control')
      AND cityHash64(key) % {parts:UInt32} = {part:UInt32}
)
SELECT
    lower(hex(token)) AS token_hex,
    lower(hex(account)) AS account_hex,
    countIf(NOT is_kept) > 0 AS stated,
    countIf(is_kept) > 0 AS kept,
    minIf((block, place), NOT is_kept) AS first_stated,
    minIf((block, place), is_kept) AS first_kept,
    maxIf(has_signed, NOT is_kept) AS signed,
    maxIf(has_signed, is_kept) AS signed_kept
FROM
(
    SELECT address AS token, creator AS account, block_number AS block, creation_index AS place, 1 AS has_signed,
        0 AS is_kept
    FROM fact_contract_creation
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND address IN (SELECT token FROM touched)
    UNION ALL
    SELECT address, account, block_number, log_index, signed, 0
    FROM fact_control
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND address IN (SELECT token FROM touched)
      AND kind IN ('mint_authority', 'update_authority')
    UNION ALL
    SELECT key, other, block_number, position, signed, 1
    FROM agg_account_token FINAL
    WHERE chain_id = {chain_id:UInt32} AND side = 'token' AND key IN (SELECT token FROM touched) AND deleted = 0
)
WHERE notEmpty(account)
GROUP BY token, account
HAVING (stated, first_stated, signed) != (kept, first_kept, signed_kept)
