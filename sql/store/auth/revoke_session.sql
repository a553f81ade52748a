-- Repeating it changes nothing: the first revocation's time stays.
UPDATE wallet_session SET revoked_at = COALESCE(revoked_at, %(now)s) WHERE id = %(id)s AND account_id = %(account_id)s
RETURNING id, revoked_at
