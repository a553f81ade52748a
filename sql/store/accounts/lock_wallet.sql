-- Taken before a wallet's account is created or its link changes: of two first sign-ins with one wallet, the second
-- waits until the first has created the account.
SELECT pg_advisory_xact_lock(hashtextextended('wallet ' || %(wallet)s, 0))
