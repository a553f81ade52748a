-- What a wallet deployed, as last published, on the chains asked for; with the hash that an address's checksum is made
-- from.
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT chain_id, address, lower(hex(keccak256(address))) AS address_hash, symbol, name
FROM
(
    SELECT
        chain_id,
        lower(hex(token)) AS address,
        argMax(symbol, p.version) AS symbol,
        argMax(name, p.version) AS name,
        argMax(is_copy, p.version) AS copied,
        argMax(deleted, p.version) AS gone
    FROM serve_provenance AS p
    WHERE wallet = unhex({wallet:String}) AND chain_id IN {chains:Array(UInt32)} AND method = 'deployer'
        AND p.version <= published
    GROUP BY chain_id, token
)
WHERE NOT gone AND NOT copied
ORDER BY indexOf({chains:Array(UInt32)}, chain_id), symbol, address
