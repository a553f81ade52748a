DELETE FROM contact_code WHERE asked_at < %(before)s
