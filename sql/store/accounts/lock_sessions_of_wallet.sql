-- Unlinking locks in the same order as signing in (wallet, sessions, account), so the two cannot deadlock.
-- Sign-ins of other wallets lock the account's row only against deletion, which is compatible with unlinking.
SELECT FROM wallet_session WHERE account_id = %(account_id)s AND %(wallet)s = ANY (wallets) AND revoked_at IS NULL
ORDER BY id DESC FOR UPDATE
