-- All accounts, or that of one wallet, oldest first, with the requests of a day.
SELECT
    account.id, account.wallet, account.plan,
    (
        SELECT coalesce(sum(used), 0)::bigint FROM api_usage
        WHERE api_usage.account_id = account.id AND day = %(day)s
    ) AS used_today
FROM account
WHERE %(wallet)s::text IS NULL
   OR account.id = (SELECT account_id FROM account_wallet WHERE wallet = %(wallet)s)
ORDER BY account.created_at, account.id
