-- Repeating it changes nothing: the first revocation's time stays. ended: this call ended it.
WITH old AS (
    SELECT id, revoked_at IS NULL AND expires_at > %(now)s AS ended FROM wallet_session
    WHERE id = %(id)s AND account_id = %(account_id)s FOR UPDATE
)
UPDATE wallet_session SET revoked_at = COALESCE(revoked_at, %(now)s)
FROM old WHERE wallet_session.id = old.id
RETURNING wallet_session.id, revoked_at, old.ended
