-- Tell all API processes to reload what they cache of an account: its sessions, and the first wallet of its keys.
SELECT pg_notify('access', 'account ' || %(account_id)s::text)
