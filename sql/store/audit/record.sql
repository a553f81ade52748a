INSERT INTO account_audit (account_id, action, actor, wallet, session_id, address, key_id, data, created_at)
SELECT account_id, action, actor, wallet, session_id, address, key_id, data, created_at
FROM jsonb_to_recordset(CAST(%(entries)s AS jsonb)) AS entry (
    account_id uuid, action text, actor text, wallet text, session_id uuid, address inet, key_id uuid, data jsonb,
    created_at timestamptz
)
