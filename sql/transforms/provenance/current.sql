-- The last recorded provenance of these tokens.
SELECT
    lower(hex(token)) AS token_hex,
    arrayMap(control -> (lower(hex(control.1)), control.2), controls) AS standing_controls,
    arrayMap(moment -> toUInt32(moment), qualify_from) AS standing_from,
    symbol AS standing_symbol,
    name AS standing_name,
    is_copy AS standing_is_copy
FROM agg_provenance FINAL
PREWHERE chain_id = {chain_id:UInt32}
  AND token IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({tokens:String})))))
SETTINGS max_threads = 1
