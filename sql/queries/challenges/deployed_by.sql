-- Which of the tokens a wallet may act for as their deployer, as last published: shared and listed accounts have none.
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT lower(hex(token)) AS token_hex
FROM
(
    SELECT token, deleted
    FROM serve_provenance AS p
    WHERE wallet = unhex({wallet:String}) AND chain_id = {chain_id:UInt32} AND method = 'deployer'
        AND token IN (SELECT arrayJoin(arrayMap(text -> unhex(text), {tokens:Array(String)})))
        AND p.version <= published
    ORDER BY p.version DESC
    LIMIT 1 BY token
)
WHERE NOT deleted
