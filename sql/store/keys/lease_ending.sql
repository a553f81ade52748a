-- Keys whose account is to hear of their expiry: that it comes soon, or that it has come. A key that is valid for less
-- than twice the warning is announced only when half of its time is left. Rolled keys are not announced: their end was
-- chosen. expiry_told moves in the transaction that records the events, so each is recorded once.
UPDATE api_key AS key SET expiry_told = CASE WHEN key.expires_at <= %(now)s THEN 2 ELSE 1 END
FROM (
    SELECT id FROM api_key
    WHERE revoked_at IS NULL AND expiry_told < 2 AND (
        expires_at <= %(now)s
        OR expiry_told = 0 AND replaced_by IS NULL AND expires_at <= %(now)s + %(warning)s
           AND expires_at - %(now)s <= (expires_at - created_at) / 2
    )
    ORDER BY expires_at LIMIT %(at_once)s FOR UPDATE SKIP LOCKED
) AS due
WHERE key.id = due.id
RETURNING key.id, key.account_id, key.name, key.prefix, key.expires_at, key.expires_at <= %(now)s AS expired
