UPDATE registration SET profile = profile || CAST(%(changes)s AS jsonb), updated_at = now()
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
RETURNING
    symbol, owner, managers, transaction_hash, released_at, expired_at, end_reason, profile, presented, embeds_enabled
