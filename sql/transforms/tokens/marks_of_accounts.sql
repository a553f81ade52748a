-- The kept marks of some accounts.
SELECT lower(hex(key)) AS account_hex, lower(hex(other)) AS token_hex, block_number, position, signed
FROM agg_account_token FINAL
WHERE chain_id = {chain_id:UInt32} AND side = 'account' AND deleted = 0
  AND key IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({accounts:String})))))
SETTINGS max_threads = 1
