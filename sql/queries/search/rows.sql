-- Every row of the symbols up to a version, superseded and deleted ones included.
SELECT
    symbol_key,
    ranking,
    {sort_column:Identifier} AS sort_value,
    if({with_documents:UInt8}, document, '') AS document
FROM serve_token
WHERE symbol_key IN {symbols:Array(String)} AND version <= {version:UInt64}
SETTINGS max_threads = 1
