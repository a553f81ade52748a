SELECT floor_usd, offers_disabled
FROM deal_offer_rule
JOIN account_wallet USING (account_id)
WHERE wallet = %(wallet)s AND (chain_id IS NULL OR chain_id = %(chain_id)s)
