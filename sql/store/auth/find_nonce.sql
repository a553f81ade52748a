SELECT FROM sign_in_nonce WHERE nonce = %(nonce)s AND expires_at > %(now)s
