-- Of concurrent callers the first takes the row; the others wait for its transaction and then find none.
DELETE FROM sign_in_nonce WHERE nonce = %(nonce)s AND expires_at > %(now)s
