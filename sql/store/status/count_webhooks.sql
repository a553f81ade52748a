SELECT 'webhooks' AS queue, pending - running AS waiting, running, failed
FROM (SELECT count(*) AS pending FROM webhook_delivery WHERE status = 'pending') AS pending
CROSS JOIN (
    SELECT count(*) AS running FROM webhook_delivery
    WHERE status = 'pending' AND lease IS NOT NULL AND due_at > now() AND due_at < now() + interval '1 hour') AS running
CROSS JOIN (
    SELECT count(*) AS failed FROM webhook_delivery
    WHERE status = 'exhausted' AND finished_at > now() - interval '1 day') AS failed
WHERE EXISTS (SELECT FROM webhook_subscription)
