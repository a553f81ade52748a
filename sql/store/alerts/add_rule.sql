INSERT INTO alert_rule (
    account_id, wallet, chain_id, token_address, symbol, alert_type, operator, threshold, window_minutes,
    cooldown_minutes, enabled, channels)
VALUES (
    %(account_id)s, %(wallet)s, %(chain_id)s, %(token_address)s, %(symbol)s, %(alert_type)s, %(operator)s,
    %(threshold)s, %(window_minutes)s, %(cooldown_minutes)s, %(enabled)s, %(channels)s)
RETURNING id
