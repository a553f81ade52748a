SELECT symbol_key, deleted, symbol_folded, token_count, best_market_score
FROM serve_symbol
WHERE symbol_key IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({symbols:String})))))
ORDER BY version DESC
LIMIT 1 BY symbol_key
