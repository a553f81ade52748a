-- Join a page, or change a subscription. joined: whether the account was not subscribed to this token before.
INSERT INTO page_subscription AS stored (chain_id, token_id, token_address, account_id, wallet, channels, created_at)
VALUES (
    %(chain_id)s, %(token_id)s, %(token_address)s, %(account_id)s, %(wallet)s, CAST(%(channels)s AS text[]), %(now)s
)
ON CONFLICT (chain_id, token_id, account_id) DO UPDATE SET
    token_address = excluded.token_address, wallet = excluded.wallet, channels = excluded.channels,
    created_at = CASE WHEN stored.token_address = excluded.token_address
        THEN stored.created_at ELSE excluded.created_at END
RETURNING id, chain_id, token_id, token_address, account_id, wallet, channels, created_at,
    old.token_address IS DISTINCT FROM new.token_address AS joined
