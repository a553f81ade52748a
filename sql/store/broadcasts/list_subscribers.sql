-- Accounts that a broadcast can reach: subscribed to the page for this token, with the wallet still linked, over the
-- service's inbox or over a channel with a confirmed contact.
SELECT subscription.id, subscription.account_id, subscription.wallet
FROM page_subscription AS subscription
JOIN account_wallet AS linked ON linked.wallet = subscription.wallet AND linked.account_id = subscription.account_id
WHERE subscription.chain_id = %(chain_id)s AND subscription.token_id = %(token_id)s
  AND subscription.token_address = %(token_address)s
  AND (
    'inapp' = ANY(subscription.channels)
    OR EXISTS (
        SELECT FROM contact
        WHERE contact.account_id = subscription.account_id AND contact.confirmed_at IS NOT NULL
          AND contact.failed_at IS NULL AND contact.channel = ANY(subscription.channels)
          AND contact.channel = ANY(CAST(%(channels)s AS text[]))
    )
  )
