SELECT account.id, account.wallet, account.plan
FROM account
JOIN account_wallet ON account_wallet.account_id = account.id
WHERE account_wallet.wallet = %(wallet)s
FOR UPDATE OF account
