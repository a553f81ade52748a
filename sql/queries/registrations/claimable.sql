-- Tokens that a wallet deployed on the EVM chains asked for, as last published, with the hash that an address's
-- checksum is computed from. LIMIT BY: an argMax of each column takes twice as long.
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT chain_id, toFixedString(token, 20) AS address, address_hash, symbol, name
FROM
(
    SELECT chain_id, token, address_hash, symbol, name, is_copy, deleted
    FROM serve_provenance AS p
    WHERE wallet = unhex({wallet:String}) AND chain_id IN {chains:Array(UInt32)} AND method = 'deployer'
        AND p.version <= published
    ORDER BY p.version DESC
    LIMIT 1 BY chain_id, token
)
WHERE NOT deleted AND NOT is_copy
ORDER BY indexOf({chains:Array(UInt32)}, chain_id), symbol, address
SETTINGS max_threads = 1
