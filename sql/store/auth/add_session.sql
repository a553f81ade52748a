WITH ended AS (
    DELETE FROM wallet_session WHERE id IN (
        SELECT id FROM wallet_session WHERE expires_at < %(forget_before)s ORDER BY expires_at LIMIT 20
        FOR UPDATE SKIP LOCKED
    )
), made AS (
    INSERT INTO wallet_session (account_id, wallets, contract_chains, scopes, created_at, expires_at)
    VALUES (
        %(account_id)s, ARRAY[CAST(%(wallet)s AS text)],
        jsonb_strip_nulls(jsonb_build_object(CAST(%(wallet)s AS text), CAST(%(chain_id)s AS bigint))),
        %(scopes)s, %(now)s, %(expires_at)s
    )
    RETURNING id, account_id, wallets, scopes, created_at, expires_at
)
SELECT made.*, a.plan FROM made JOIN account AS a ON a.id = made.account_id
