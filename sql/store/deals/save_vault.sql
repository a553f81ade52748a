-- Keep the terms of a deal's vault, in place of earlier ones that nobody used.
INSERT INTO deal_vault (deal_id, kind, vault_id, terms, signature, snapshot_accounts, snapshot_nodes, made_at)
VALUES (
    %(id)s, %(kind)s, %(vault_id)s, %(terms)s::jsonb, %(signature)s, %(accounts)s, %(nodes)s, %(made_at)s
)
ON CONFLICT (deal_id) DO UPDATE SET
    vault_id = excluded.vault_id, terms = excluded.terms, signature = excluded.signature,
    snapshot_accounts = excluded.snapshot_accounts, snapshot_nodes = excluded.snapshot_nodes, made_at = excluded.made_at
