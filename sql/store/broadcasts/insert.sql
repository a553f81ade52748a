INSERT INTO broadcast (
    chain_id, token_id, token_address, account_id, wallet, idempotency_key, request_hash, kind, title, body, link_url,
    image_url, rich_content, chain_scope, source_type, channels, segments, holder_groups, holdout_percent, status,
    expected, created_at, due_at, try_at
)
VALUES (
    %(chain_id)s, %(token_id)s, %(token_address)s, %(account_id)s, %(wallet)s, %(key)s, %(request_hash)s, %(kind)s,
    %(title)s, %(body)s, %(link_url)s, %(image_url)s, CAST(%(rich_content)s AS jsonb), %(chain_scope)s,
    %(source_type)s, CAST(%(channels)s AS text[]), CAST(%(segments)s AS text[]),
    CAST(%(holder_groups)s AS jsonb), %(holdout_percent)s, %(status)s, %(expected)s, %(now)s, %(due_at)s, %(due_at)s
)
RETURNING id, request_hash, status, expected, due_at, created_at
