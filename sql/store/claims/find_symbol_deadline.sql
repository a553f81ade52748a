-- When the last authorisation for a symbol runs out, of any wallet; null where it has none.
SELECT max(deadline) AS deadline
FROM claim_authorization
WHERE chain_id = %(chain_id)s AND symbol = %(symbol)s
