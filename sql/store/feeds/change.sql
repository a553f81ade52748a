UPDATE alert_feed SET min_usd = %(min_usd)s, min_raw = %(min_raw)s
WHERE id = %(id)s AND account_id = %(account_id)s
RETURNING id
