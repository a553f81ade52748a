-- The documents of the tokens at these addresses (hexadecimal): all rows up to a version that are not deletions.
SELECT
    lower(hex(address)) AS address_hex,
    chain_id,
    version,
    document
FROM serve_token
WHERE symbol_key IN {symbols:Array(String)}
    AND address IN (SELECT unhex(arrayJoin({addresses:Array(String)})))
    AND version <= {version:UInt64}
    AND NOT deleted
SETTINGS max_threads = 1
