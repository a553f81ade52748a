-- What is shown of the tokens at these addresses (hexadecimal), every standing row of them up to a version.
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
