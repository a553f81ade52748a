INSERT INTO account_wallet (wallet, account_id) VALUES (%(wallet)s, %(account_id)s) ON CONFLICT (wallet) DO NOTHING
