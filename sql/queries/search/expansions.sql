-- Symbols near {symbol}, itself included, best first: look-alikes, then symbols that begin with it and those within
-- {edits} edits, by market score. The forms are those of the folded symbol; the edit distance confirms the candidates
-- they yield.
SELECT
    symbol_key,
    argMax(symbol_folded, version) AS folded,
    argMax(token_count, version) AS tokens
FROM serve_symbol
WHERE (startsWith(symbol_key, {symbol:String})
        OR symbol_key IN (SELECT symbol_key FROM serve_symbol_form WHERE form IN {forms:Array(String)}))
    AND version <= {version:UInt64}
    AND (startsWith(symbol_key, {symbol:String})
        OR damerauLevenshteinDistance(symbol_folded, {folded:String}) <= {edits:UInt8})
GROUP BY symbol_key
HAVING argMax(deleted, version) = 0
ORDER BY folded = {folded:String} DESC, argMax(best_market_score, version) DESC, symbol_key
LIMIT {limit:UInt32}
