-- Deliveries of the next recipients, as they opted in now, and their inbox entries. What was made before is left as it
-- is; queued_through moves in the same statement.
WITH batch AS (
    SELECT recipient.account_id, subscription.channels
    FROM broadcast_recipient AS recipient
    JOIN page_subscription AS subscription
      ON subscription.id = recipient.subscription_id AND subscription.token_address = %(token_address)s
    JOIN account_wallet AS linked
      ON linked.wallet = subscription.wallet AND linked.account_id = subscription.account_id
    WHERE recipient.broadcast_id = %(id)s AND recipient.position > %(after)s AND recipient.position <= %(through)s
      AND NOT recipient.held_out
), entered AS (
    INSERT INTO inbox_entry (account_id, message_id)
    SELECT account_id, %(id)s FROM batch WHERE 'inapp' = ANY(channels)
    ON CONFLICT DO NOTHING
    RETURNING 1
), queued AS (
    INSERT INTO broadcast_delivery (broadcast_id, channel, account_id, status, due_at)
    SELECT %(id)s, contact.channel, batch.account_id, 'pending', %(now)s
    FROM batch
    JOIN contact ON contact.account_id = batch.account_id AND contact.channel = ANY(batch.channels)
    WHERE contact.channel = ANY(CAST(%(channels)s AS text[])) AND contact.confirmed_at IS NOT NULL
      AND contact.failed_at IS NULL
    ON CONFLICT DO NOTHING
    RETURNING 1
), moved AS (
    UPDATE broadcast SET
        queued_through = %(through)s,
        status = CASE WHEN %(through)s >= recipients THEN 'sent' ELSE 'sending' END,
        sent_at = CASE WHEN %(through)s >= recipients THEN CAST(%(now)s AS timestamptz) END
    WHERE id = %(id)s
)
SELECT (SELECT count(*) FROM entered) + (SELECT count(*) FROM queued) AS made
