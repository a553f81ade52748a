-- An account's alerts, newest first: those that are open if so asked, those of one token if it is given, some by their ids.
-- An event without deliveries yet is still to be sent.
SELECT
    id, rule_id, chain_id, token_address, symbol, alert_type, operator, threshold, window_minutes, status, severity,
    metric_value, read_at, earlier_value, earlier_read_at, triggered_at, acknowledged_at, resolved_at, resolved_reason,
    NOT EXISTS (
        SELECT FROM event_log
        WHERE dedupe_key = 'alert.triggered:' || alert_instance.account_id || ':' || alert_instance.id
          AND fanned_out_at IS NULL
    ) AS notification_sent
FROM alert_instance
WHERE account_id = %(account_id)s
  AND (NOT %(open)s OR status <> 'resolved')
  AND (CAST(%(chain_id)s AS bigint) IS NULL OR (chain_id = %(chain_id)s AND token_address = %(address)s))
  AND (CAST(%(ids)s AS uuid[]) IS NULL OR id = ANY(%(ids)s))
ORDER BY triggered_at DESC, id DESC
LIMIT %(limit)s OFFSET %(offset)s
