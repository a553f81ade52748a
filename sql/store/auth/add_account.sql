-- Callers hold accounts/lock_wallet, as every code path that creates an account does. ON CONFLICT covers an account
-- inserted without that lock.
INSERT INTO account (wallet, plan) VALUES (%(wallet)s, 'free') ON CONFLICT (wallet) DO NOTHING
