-- End the oldest live sessions that a wallet began, so that with the new one %(most)s are left. Sessions that it only
-- joined are not counted. Callers hold accounts/lock_wallet, so concurrent sign-ins of one wallet count each other's.
UPDATE wallet_session SET revoked_at = %(now)s
WHERE id IN (
    SELECT id FROM wallet_session
    WHERE account_id = %(account_id)s AND wallets[1] = %(wallet)s AND id <> %(new)s
      AND revoked_at IS NULL AND expires_at > %(now)s
    ORDER BY id DESC OFFSET %(most)s - 1
    FOR UPDATE
)
RETURNING id
