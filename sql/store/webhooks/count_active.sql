SELECT count(*) AS subscriptions FROM webhook_subscription WHERE status = 'active'
