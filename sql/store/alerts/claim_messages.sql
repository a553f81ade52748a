-- Lease due messages of channels, at most as many as each one's cap. The rule and the contact are looked at again: what
-- nobody wants any more is skipped (refusal).
WITH taken AS (
    SELECT found.* FROM unnest(CAST(%(channels)s AS text[]), CAST(%(caps)s AS integer[])) AS w (channel, cap)
    CROSS JOIN LATERAL (
        SELECT m.id, m.message_id, m.rule_id, m.channel, m.account_id FROM alert_message AS m
        WHERE m.channel = w.channel AND m.status = 'pending' AND m.due_at <= %(now)s
        ORDER BY m.due_at, m.id LIMIT w.cap FOR UPDATE SKIP LOCKED
    ) AS found
), judged AS (
    SELECT
        taken.id, message.title, message.body, message.link_url, message.symbol, contact.id AS address_id,
        contact.sealed,
        CASE
            WHEN rule.id IS NULL THEN 'the rule was deleted or does not use the channel any more'
            WHEN contact.id IS NULL THEN 'the contact was removed'
        END AS refusal
    FROM taken
    JOIN inbox_message AS message ON message.id = taken.message_id
    LEFT JOIN alert_rule AS rule ON rule.id = taken.rule_id AND taken.channel = ANY(rule.channels)
    LEFT JOIN contact
      ON contact.account_id = taken.account_id AND contact.channel = taken.channel
     AND contact.confirmed_at IS NOT NULL AND contact.failed_at IS NULL
)
UPDATE alert_message AS m SET
    lease = CASE WHEN judged.refusal IS NULL THEN CAST(%(lease)s AS uuid) END,
    status = CASE WHEN judged.refusal IS NULL THEN 'pending' ELSE 'skipped' END,
    problem = judged.refusal,
    due_at = %(lease_end)s,
    finished_at = CASE WHEN judged.refusal IS NULL THEN NULL ELSE CAST(%(now)s AS timestamptz) END
FROM judged
WHERE m.id = judged.id
RETURNING m.id, m.channel, m.attempts, m.lease, judged.title, judged.body, judged.link_url, judged.symbol,
    CAST(NULL AS uuid) AS subscription_id, CAST(NULL AS text) AS wallet, judged.address_id, judged.sealed,
    false AS is_room, judged.refusal, 'Sent because of your alert rule on ' || judged.symbol || '.' AS why
