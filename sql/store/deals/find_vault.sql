SELECT deal_id, kind, vault_id, terms, signature, snapshot_accounts FROM deal_vault WHERE deal_id = %(id)s
