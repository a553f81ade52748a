INSERT INTO community_room (chain_id, token_id, channel, id, token_address, sealed, created_at)
VALUES (%(chain_id)s, %(token_id)s, %(channel)s, %(id)s, %(token_address)s, %(sealed)s, %(now)s)
ON CONFLICT (chain_id, token_id, channel) DO UPDATE SET
    id = excluded.id, token_address = excluded.token_address, sealed = excluded.sealed, created_at = excluded.created_at
