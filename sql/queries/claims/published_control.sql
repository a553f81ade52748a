-- How the index says a wallet controls a token: the methods that were last published and have held long enough.
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT method
FROM
(
    SELECT method, deleted, qualifies_from
    FROM serve_provenance AS p
    WHERE wallet = unhex({wallet:String}) AND chain_id = {chain_id:UInt32} AND token = unhex({token:String})
        AND p.version <= published
    ORDER BY p.version DESC
    LIMIT 1 BY method
)
WHERE NOT deleted AND qualifies_from <= fromUnixTimestamp({now:UInt32})
SETTINGS max_threads = 1
