-- Unlinking takes these in the order in which sign-ins do: sessions, the wallet, the account. Where sign-ins of other
-- wallets hold the account's row they only keep it from going, which this lock lets them.
SELECT FROM wallet_session WHERE account_id = %(account_id)s AND %(wallet)s = ANY (wallets) AND revoked_at IS NULL
ORDER BY id FOR UPDATE
