-- A command that makes the wallet's account does not know of that lock: whoever is second takes what the first made.
INSERT INTO account (wallet, plan) VALUES (%(wallet)s, 'free') ON CONFLICT (wallet) DO NOTHING
