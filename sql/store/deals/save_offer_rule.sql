-- Change what is given; null leaves it as it is.
INSERT INTO deal_offer_rule AS kept (account_id, floor_usd, offers_disabled)
VALUES (%(account_id)s, coalesce(%(floor_usd)s, 0), coalesce(%(offers_disabled)s, false))
ON CONFLICT (account_id) DO UPDATE SET
    floor_usd = coalesce(%(floor_usd)s, kept.floor_usd),
    offers_disabled = coalesce(%(offers_disabled)s, kept.offers_disabled), updated_at = now()
RETURNING floor_usd, offers_disabled
