-- Who held the symbol's last registration on a chain, and why that ended.
SELECT owner, end_reason
FROM registration
WHERE chain_id = %(chain_id)s AND symbol = %(symbol)s
ORDER BY token_id DESC
LIMIT 1
