-- The same as rows.sql while {version} is the newest published version, and no rows afterwards.
SELECT
    symbol_key,
    ranking,
    {sort_column:Identifier} AS sort_value,
    if({with_documents:UInt8}, document, '') AS document
FROM serve_token
WHERE symbol_key IN {symbols:Array(String)} AND version <= {version:UInt64}
    AND {version:UInt64} = (SELECT max(version) FROM serve_publication)
SETTINGS max_threads = 1
