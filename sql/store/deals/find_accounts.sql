-- The accounts of wallets. A contract's wallet counts on its own chain only.
SELECT wallet, account_id
FROM account_wallet
WHERE wallet = ANY(%(wallets)s) AND (account_wallet.chain_id IS NULL OR account_wallet.chain_id = %(chain_id)s)
