-- Enabled rules, each with its place among those of its account and the account's plan; times in unix seconds.
SELECT
    rule.id, rule.chain_id, rule.token_address, rule.alert_type, rule.operator, rule.threshold::float8 AS threshold,
    60 * rule.window_minutes AS window_seconds, 60 * rule.cooldown_minutes AS cooldown_seconds, rule.revision,
    rule.judged, rule.fired, coalesce(extract(epoch FROM rule.last_fired_at)::bigint, 0) AS last_fired, rule.place,
    account.plan
FROM alert_rule_place AS rule
JOIN account ON account.id = rule.account_id
WHERE rule.enabled
