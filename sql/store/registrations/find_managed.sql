SELECT symbol, owner, managers, transaction_hash, released_at, expired_at, end_reason, profile, presented, embeds_enabled
FROM registration WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
