-- Whoever makes the account of a wallet, or changes whose the wallet is, takes this lock: of two sign-ins of one new
-- wallet the second waits until the first has made the account.
SELECT pg_advisory_xact_lock(hashtextextended('wallet ' || %(wallet)s, 0))
