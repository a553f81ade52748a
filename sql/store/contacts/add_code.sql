INSERT INTO contact_code (account_id, fingerprint, asked_at) VALUES (%(account_id)s, %(fingerprint)s, %(now)s)
