-- How the index says a wallet controls a token: the methods that were last published and have held long enough. None
-- for an account that signed for so many mints that it makes them for others.
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
  AND
  (
      SELECT count() FROM agg_account_token FINAL
      WHERE chain_id = {chain_id:UInt32} AND side = 'account' AND key = unhex({wallet:String})
        AND deleted = 0 AND signed
  ) <= {shared_above:UInt32}
SETTINGS max_threads = 1
