-- Completed deals whose token's market cap and whose registration's age, when the offer was made, were within a third and
-- three times those of a deal; the likest market caps first.
SELECT
    past.id, past.deal_type, past.symbol, past.chain_id, past.amount, past.currency, past.amount_usd,
    past.market_cap_usd, extract(epoch FROM past.created_at - past.minted_at)::bigint AS age_seconds, past.completed_at
FROM deal AS past
JOIN deal AS wanted ON wanted.id = %(id)s AND past.id <> wanted.id
WHERE past.status = 'completed' AND past.amount_usd > 0
  AND past.market_cap_usd BETWEEN wanted.market_cap_usd / 3 AND wanted.market_cap_usd * 3
  AND past.created_at - past.minted_at
    BETWEEN (wanted.created_at - wanted.minted_at) / 3 AND (wanted.created_at - wanted.minted_at) * 3
ORDER BY abs(ln(past.market_cap_usd / wanted.market_cap_usd)), past.completed_at DESC
LIMIT 10
