-- Who held the symbol's last registration on a chain, and when it expired.
SELECT owner, expired_at
FROM registration
WHERE chain_id = %(chain_id)s AND symbol = %(symbol)s
ORDER BY token_id DESC
LIMIT 1
