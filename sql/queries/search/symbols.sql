-- The newest rows of the symbols written after one version and up to another, deleted ones included.
SELECT
    symbol_key,
    symbol_folded,
    token_count,
    toInt64(best_market_score * 1000000000) AS score,
    deleted
FROM serve_symbol
WHERE version > {after:UInt64} AND version <= {version:UInt64}
ORDER BY symbol_key, version DESC
LIMIT 1 BY symbol_key
LIMIT {limit:UInt64}
SETTINGS max_threads = 1
