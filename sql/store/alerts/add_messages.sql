-- Tell the owners of rules what happened, a JSON array of objects: a message in the inbox, and one over each other channel
-- of the rule on which the account has a confirmed contact.
WITH told AS (
    SELECT uuidv7() AS message_id, found.*, rule.account_id, rule.channels
    FROM jsonb_to_recordset(CAST(%(messages)s AS jsonb)) AS found (
        rule_id uuid, title text, body text, link_url text, chain_id bigint, token_id bigint, symbol text
    )
    JOIN alert_rule AS rule ON rule.id = found.rule_id
), message AS (
    INSERT INTO inbox_message (id, kind, title, body, link_url, chain_id, token_id, symbol, created_at)
    SELECT message_id, 'alert', title, body, link_url, chain_id, token_id, symbol, now() FROM told
), entered AS (
    INSERT INTO inbox_entry (account_id, message_id)
    SELECT account_id, message_id FROM told WHERE 'inapp' = ANY(channels)
)
INSERT INTO alert_message (rule_id, account_id, message_id, channel, due_at)
SELECT told.rule_id, told.account_id, told.message_id, contact.channel, now()
FROM told
JOIN contact
  ON contact.account_id = told.account_id AND contact.channel = ANY(told.channels)
 AND contact.confirmed_at IS NOT NULL AND contact.failed_at IS NULL
