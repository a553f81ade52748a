-- A key's signature takes precedence over a contract's, whichever the session had first.
WITH changed AS (
    UPDATE wallet_session SET
        wallets = CASE WHEN %(wallet)s = ANY (wallets) THEN wallets ELSE array_append(wallets, %(wallet)s) END,
        contract_chains = CASE
            WHEN CAST(%(chain_id)s AS bigint) IS NULL THEN contract_chains - CAST(%(wallet)s AS text)
            WHEN %(wallet)s = ANY (wallets) THEN contract_chains
            ELSE contract_chains || jsonb_build_object(CAST(%(wallet)s AS text), CAST(%(chain_id)s AS bigint))
        END
    WHERE id = %(id)s
    RETURNING id, account_id, wallets, scopes, created_at, expires_at
)
SELECT changed.*, a.plan FROM changed JOIN account AS a ON a.id = changed.account_id
