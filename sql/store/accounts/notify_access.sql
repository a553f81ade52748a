-- Tell all API processes to reload what they cache: sessions, and the first wallet of each key's account.
SELECT pg_notify('access', '')
