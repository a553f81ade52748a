-- Mints of Solana that a wallet created or is an authority of, as last published, each with the surest of the methods
-- that have held long enough: method as in serve_provenance.
WITH
    (SELECT max(version) FROM serve_publication) AS published,
    ['deployer', 'mint_authority', 'update_authority'] AS methods
SELECT lower(hex(token)) AS address, method, symbol, name
FROM
(
    SELECT token, method, symbol, name, is_copy, deleted, qualifies_from
    FROM serve_provenance AS p
    WHERE wallet = unhex({wallet:String}) AND chain_id = {chain_id:UInt32} AND p.version <= published
    ORDER BY p.version DESC
    LIMIT 1 BY token, method
)
WHERE NOT deleted AND NOT is_copy AND has(methods, method) AND qualifies_from <= fromUnixTimestamp({now:UInt32})
ORDER BY indexOf(methods, method), symbol, token
LIMIT 1 BY token
SETTINGS max_threads = 1
