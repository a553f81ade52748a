-- Registrations that changed since a moment, without what only their owners see.
SELECT chain_id, token_id, symbol, owner, token_address AS token, registry, transaction_hash, block_number,
       extract(epoch FROM minted_at)::bigint AS registered_at, fee_wei AS fee_raw, with_receipt::int AS free,
       coalesce(verification_method, '') AS verification_method, coalesce(metadata_cid, '') AS metadata_cid,
       extract(epoch FROM least(released_at, expired_at))::bigint AS ended_at, coalesce(end_reason, '') AS end_reason,
       is_final::int AS is_final
FROM registration
WHERE updated_at >= %(since)s
ORDER BY chain_id, token_id
