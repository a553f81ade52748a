INSERT INTO account (wallet, plan) VALUES (%(wallet)s, %(plan)s) RETURNING id
