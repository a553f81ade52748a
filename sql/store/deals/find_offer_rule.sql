SELECT floor_usd, offers_disabled FROM deal_offer_rule WHERE account_id = %(account_id)s
