SELECT symbol_key, deleted, symbol_folded, token_count, best_market_score
FROM serve_symbol
WHERE symbol_key IN (SELECT arrayJoin(JSONExtract(materialize({symbols:String}), 'Array(String)')))
ORDER BY version DESC
LIMIT 1 BY symbol_key
