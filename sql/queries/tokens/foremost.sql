-- The token that a symbol refers to on a chain: the registered one, else by originals before copies, larger market,
-- greater age; or the one at {address} (hexadecimal, empty for any).
SELECT
    lower(hex(address)) AS address_hex,
    document
FROM
(
    SELECT address, document, deleted, registration_token_id, registration_expired, is_copy, market_score,
        coalesce(deployed_at, first_seen_at) AS first_time, deployed_block, deployed_index
    FROM serve_token
    WHERE symbol_key = {symbol:String} AND chain_id = {chain_id:UInt32} AND version <= {version:UInt64}
        AND ({address:String} = '' OR address = unhex({address:String}))
    ORDER BY address, version DESC
    LIMIT 1 BY address
)
WHERE deleted = 0
ORDER BY registration_token_id IS NULL OR registration_expired, is_copy, market_score DESC, first_time,
    deployed_block IS NULL OR deployed_index IS NULL, deployed_block, deployed_index, address
LIMIT 1
SETTINGS max_threads = 1
