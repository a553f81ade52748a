-- Sign-ins take this lock too: two transactions that make the account of one wallet, or change whose it is, wait for each other.
SELECT pg_advisory_xact_lock(hashtextextended('wallet ' || %(wallet)s, 0))
