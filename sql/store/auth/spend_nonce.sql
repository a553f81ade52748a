-- Of any number who try at once the first takes the row; the others wait for that transaction and then find none.
DELETE FROM sign_in_nonce WHERE nonce = %(nonce)s AND expires_at > %(now)s
