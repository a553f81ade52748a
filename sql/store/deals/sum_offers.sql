-- How many offers an account made since a moment, and what its open offers add up to. Before it, the account is locked.
SELECT
    count(*) FILTER (WHERE created_at > %(since)s) AS made,
    min(created_at) FILTER (WHERE created_at > %(since)s) AS first_made_at,
    coalesce(sum(amount_usd) FILTER (WHERE status IN ('draft', 'pending')), 0) AS standing_usd
FROM deal
WHERE offerer_account = %(account_id)s
