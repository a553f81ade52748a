-- Resolve the open alerts of rules whose readings recovered, a JSON array of objects.
UPDATE alert_instance AS alert
SET status = 'resolved', resolved_at = to_timestamp(found.recovered_at), resolved_reason = 'auto_recovered'
FROM jsonb_to_recordset(CAST(%(recoveries)s AS jsonb)) AS found (rule_id uuid, recovered_at bigint)
WHERE alert.rule_id = found.rule_id AND alert.status <> 'resolved'
RETURNING alert.id, alert.rule_id, alert.chain_id, alert.account_id, alert.wallet, alert.alert_type, alert.symbol, alert.triggered_at, alert.resolved_at
