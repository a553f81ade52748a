-- When the wallet's last authorisation for the symbol expires; null where it has none.
SELECT max(deadline) AS deadline
FROM claim_authorization
WHERE chain_id = %(chain_id)s AND symbol = %(symbol)s AND wallet = %(wallet)s
