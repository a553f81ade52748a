-- The first active registration of a symbol, else the one that ended last, with its verified domains and the number of
-- its attestations.
SELECT
    found.chain_id, found.token_id, found.symbol, found.owner, found.token_address, found.registry,
    found.transaction_hash, found.block_number, found.managers, found.maintainers,
    found.minted_at, found.released_at, found.expired_at, found.end_reason, found.verification_method,
    found.verified_at,
    found.metadata_cid, found.presented, found.peer_chain_id, found.peer_token_id,
    (
        SELECT jsonb_agg(jsonb_build_object(
            'domain', domain, 'verifiedAt', to_char(verified_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'vanityEnabled', vanity_enabled
        ) ORDER BY domain)
        FROM registration_domain AS verified
        WHERE verified.chain_id = found.chain_id AND verified.token_id = found.token_id AND verified_at IS NOT NULL
    ) AS domains,
    (
        SELECT count(*)
        FROM registration_attestation AS attested
        WHERE attested.chain_id = found.chain_id AND attested.token_id = found.token_id AND withdrawn_at IS NULL
    ) AS attestations
FROM (
    SELECT *
    FROM registration
    WHERE symbol = %(symbol)s AND (%(chain_id)s::bigint IS NULL OR chain_id = %(chain_id)s)
    ORDER BY coalesce(released_at, expired_at) DESC NULLS FIRST, minted_at, chain_id
    LIMIT 1
) AS found
