-- API processes remember sessions, and the first wallets of keys' accounts: all of them look again.
SELECT pg_notify('access', '')
