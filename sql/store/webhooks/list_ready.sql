-- Receivers with due deliveries, by ascending id after the last one: one index lookup for each receiver with pending
-- deliveries, however many are pending.
WITH RECURSIVE waiting (id) AS (
    (SELECT d.subscription_id FROM webhook_delivery AS d
     WHERE d.status = 'pending' AND d.subscription_id > %(after)s ORDER BY d.subscription_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.subscription_id FROM webhook_delivery AS d
            WHERE d.status = 'pending' AND d.subscription_id > w.id ORDER BY d.subscription_id LIMIT 1)
    FROM waiting AS w WHERE w.id IS NOT NULL
)
SELECT ready.*,
    ARRAY(
        SELECT k.sealed FROM webhook_secret AS k
        WHERE k.subscription_id = ready.id AND (k.ends_at IS NULL OR k.ends_at > %(now)s)
        ORDER BY k.ends_at DESC NULLS FIRST, k.id DESC
    ) AS sealed
FROM waiting AS w
CROSS JOIN LATERAL (
    SELECT s.id, s.url, s.status <> 'active' AS only_tests
    FROM webhook_subscription AS s
    JOIN account AS a ON a.id = s.account_id
    WHERE s.id = w.id AND s.status <> 'deleted' AND a.plan = ANY(CAST(%(plans)s AS text[]))
    OFFSET 0
) AS ready
WHERE w.id <> ALL(CAST(%(saturated)s AS uuid[])) AND CASE
    WHEN ready.only_tests THEN EXISTS (
        SELECT FROM webhook_delivery AS d
        WHERE d.subscription_id = w.id AND d.status = 'pending' AND d.cause = 'test' AND d.due_at <= %(now)s)
    ELSE EXISTS (
        SELECT FROM webhook_delivery AS d
        WHERE d.subscription_id = w.id AND d.status = 'pending' AND d.due_at <= %(now)s)
    END
LIMIT %(receivers)s
