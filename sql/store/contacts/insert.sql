INSERT INTO contact (id, account_id, channel, sealed, fingerprint, created_at, confirmed_at)
VALUES (%(id)s, %(account_id)s, %(channel)s, %(sealed)s, %(fingerprint)s, %(now)s, %(confirmed_at)s)
