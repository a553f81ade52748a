-- The newest passing check of a wallet that covers an amount.
SELECT funded_percent
FROM deal_funds_check
WHERE account_id = %(account_id)s AND wallet = %(wallet)s AND chain_id = %(chain_id)s
  AND currency_address = %(currency_address)s AND amount_raw >= %(amount_raw)s AND verified AND checked_at > %(since)s
ORDER BY checked_at DESC
LIMIT 1
