SELECT account.plan FROM account_wallet AS linked JOIN account ON account.id = linked.account_id
WHERE linked.wallet = %(wallet)s
