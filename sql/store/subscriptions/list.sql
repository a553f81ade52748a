-- An account's subscriptions, newest first, with the symbol of each registration while it is active and of the same
-- token.
SELECT
    subscription.id, subscription.chain_id, subscription.token_id, subscription.wallet, subscription.channels,
    subscription.created_at, registration.symbol
FROM page_subscription AS subscription
LEFT JOIN registration
  ON registration.chain_id = subscription.chain_id AND registration.token_id = subscription.token_id
 AND registration.token_address = subscription.token_address
 AND registration.released_at IS NULL AND registration.expired_at IS NULL
WHERE subscription.account_id = %(account_id)s
  AND (CAST(%(before)s AS uuid) IS NULL OR subscription.id < %(before)s)
ORDER BY subscription.id DESC
LIMIT %(limit)s
