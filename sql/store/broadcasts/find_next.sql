-- A broadcast that is due.
SELECT id, chain_id, token_id, token_address, wallet, channels, segments, holder_groups, holdout_percent, status,
    queued_through, reviewed_at IS NOT NULL AS is_reviewed
FROM broadcast
WHERE status IN ('queued', 'sending') AND try_at <= %(now)s
ORDER BY try_at, id
LIMIT 1
