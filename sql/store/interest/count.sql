-- How many tokens an account expressed interest in within the last 24 hours.
SELECT count(*) AS expressed
FROM token_interest
WHERE account_id = %(account_id)s AND expressed_at > now() - interval '24 hours'
