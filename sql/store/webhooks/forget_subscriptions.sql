DELETE FROM webhook_subscription AS s
WHERE s.status = 'deleted' AND NOT EXISTS (SELECT FROM webhook_delivery AS d WHERE d.subscription_id = s.id)
