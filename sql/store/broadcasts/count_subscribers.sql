-- How many accounts would get something over each channel, and over any.
WITH reached AS (
    SELECT
        subscription.account_id,
        'inapp' = ANY(subscription.channels) AS by_inbox,
        ARRAY(
            SELECT contact.channel FROM contact
            WHERE contact.account_id = subscription.account_id AND contact.confirmed_at IS NOT NULL
              AND contact.failed_at IS NULL AND contact.channel = ANY(subscription.channels)
              AND contact.channel = ANY(CAST(%(channels)s AS text[]))
        ) AS by_vendors
    FROM page_subscription AS subscription
    JOIN account_wallet AS linked
      ON linked.wallet = subscription.wallet AND linked.account_id = subscription.account_id
    WHERE subscription.chain_id = %(chain_id)s AND subscription.token_id = %(token_id)s
      AND subscription.token_address = %(token_address)s
)
SELECT
    count(*) FILTER (WHERE by_inbox OR cardinality(by_vendors) > 0) AS accounts,
    jsonb_build_object(
        'inapp', count(*) FILTER (WHERE by_inbox),
        'push', count(*) FILTER (WHERE 'push' = ANY(by_vendors)),
        'email', count(*) FILTER (WHERE 'email' = ANY(by_vendors)),
        'sms', count(*) FILTER (WHERE 'sms' = ANY(by_vendors)),
        'telegram', count(*) FILTER (WHERE 'telegram' = ANY(by_vendors)),
        'discord', count(*) FILTER (WHERE 'discord' = ANY(by_vendors))
    ) AS by_channel
FROM reached
