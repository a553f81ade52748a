-- An account's rules, oldest first; with a chain those of one token.
SELECT
    id, wallet, chain_id, token_address, symbol, alert_type, operator, threshold, window_minutes, cooldown_minutes,
    enabled, channels, revision, place, created_at, updated_at
FROM alert_rule_place
WHERE account_id = %(account_id)s
  AND (CAST(%(chain_id)s AS bigint) IS NULL OR (chain_id = %(chain_id)s AND token_address = %(address)s))
ORDER BY created_at, id
