-- Alerts of rules, a JSON array of objects, with the registration of each token.
WITH added AS (
    INSERT INTO alert_instance (
        rule_id, account_id, wallet, chain_id, token_address, symbol, alert_type, operator, threshold, window_minutes,
        severity, metric_value, read_at, earlier_value, earlier_read_at, triggered_at)
    SELECT
        rule.id, rule.account_id, rule.wallet, rule.chain_id, rule.token_address, rule.symbol, rule.alert_type,
        rule.operator, rule.threshold, rule.window_minutes, found.severity, found.metric_value,
        to_timestamp(found.read_at), found.earlier_value, to_timestamp(found.earlier_read_at),
        to_timestamp(found.triggered_at)
    FROM jsonb_to_recordset(CAST(%(alerts)s AS jsonb)) AS found (
        rule_id uuid, severity text, metric_value float8, read_at bigint, earlier_value float8, earlier_read_at bigint,
        triggered_at bigint
    )
    JOIN alert_rule AS rule ON rule.id = found.rule_id
    RETURNING id, rule_id, account_id, chain_id, token_address, symbol, alert_type, operator, threshold, window_minutes,
        metric_value, earlier_value, triggered_at
)
SELECT
    added.*,
    (
        SELECT token_id
        FROM registration
        WHERE registration.chain_id = added.chain_id AND registration.token_address = added.token_address
          AND released_at IS NULL AND expired_at IS NULL
        ORDER BY minted_at DESC
        LIMIT 1
    ) AS token_id
FROM added
ORDER BY added.id
