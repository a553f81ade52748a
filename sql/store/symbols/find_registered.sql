-- A registered symbol among those given: the symbol itself before look-alikes, the earliest mint first.
SELECT symbol, chain_id, token_address AS address
FROM registration
WHERE symbol = ANY(%(symbols)s) AND released_at IS NULL AND expired_at IS NULL
ORDER BY symbol <> %(symbol)s, minted_at
LIMIT 1
