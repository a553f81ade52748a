-- Remove finished deliveries, deliveries that have been pending as long, and those of deleted subscriptions. Their
-- attempts are removed with them.
DELETE FROM webhook_delivery WHERE id IN (
    (SELECT id FROM webhook_delivery WHERE status <> 'pending' AND finished_at < %(before)s LIMIT %(at_once)s)
    UNION ALL
    (SELECT id FROM webhook_delivery WHERE status = 'pending' AND due_at < %(before)s LIMIT %(at_once)s)
    UNION ALL
    (SELECT d.id FROM webhook_subscription AS s JOIN webhook_delivery AS d ON d.subscription_id = s.id
     WHERE s.status = 'deleted' LIMIT %(at_once)s))
