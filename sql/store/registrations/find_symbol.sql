-- One row: the active registration of a symbol on a chain (columns of registration, its verified domains), and a token
-- (columns indexed_*): the named one whatever its symbol, else the registered one, else the original. Nulls where there
-- is none. reserved_for: the token of an upheld challenge that the symbol is reserved for. is_indexed: whether any block of the chain was published.
WITH standing AS (
    SELECT *
    FROM registration
    WHERE symbol = %(symbol)s AND chain_id = %(chain_id)s AND released_at IS NULL AND expired_at IS NULL
    ORDER BY token_address IS NOT DISTINCT FROM %(address)s::text DESC, token_id DESC
    LIMIT 1
),
meant AS (
    SELECT coalesce(%(address)s::text, (SELECT token_address FROM standing)) AS address
)
SELECT
    standing.chain_id, standing.token_id, standing.symbol, standing.owner, standing.token_address, standing.registry,
    standing.transaction_hash, standing.block_number, standing.managers, standing.maintainers,
    standing.minted_at, standing.released_at, standing.expired_at, standing.end_reason, standing.pending_end,
    standing.pending_end_due_at, standing.pending_end_objected_at, standing.verification_method, standing.verified_at,
    standing.metadata_cid, standing.presented, standing.peer_chain_id, standing.peer_token_id,
    (
        SELECT jsonb_agg(jsonb_build_object(
            'domain', domain, 'verifiedAt', to_char(verified_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'vanityEnabled', vanity_enabled
        ) ORDER BY domain)
        FROM registration_domain AS verified
        WHERE verified.chain_id = standing.chain_id AND verified.token_id = standing.token_id
          AND verified_at IS NOT NULL
    ) AS domains,
    token.address AS indexed_address,
    token.symbol_key AS indexed_symbol_key,
    token.is_copy AS indexed_is_copy,
    token.as_of_block AS indexed_as_of_block,
    token.score AS indexed_score,
    token.timestamp_score AS indexed_timestamp_score,
    token.volume_score AS indexed_volume_score,
    token.holders_score AS indexed_holders_score,
    token.confidence_score AS indexed_confidence_score,
    token.scored_at AS indexed_scored_at,
    (
        SELECT challenger_token
        FROM registration_challenge
        WHERE chain_id = %(chain_id)s AND symbol_folded = %(symbol_folded)s
          AND (state = 'upheld' OR (state = 'ended' AND ended_at > %(reserved_since)s))
        ORDER BY ended_at DESC NULLS FIRST
        LIMIT 1
    ) AS reserved_for,
    EXISTS (
        SELECT FROM chain_checkpoint WHERE chain_id = %(chain_id)s AND block_number IS NOT NULL
    ) AS is_indexed
FROM meant
LEFT JOIN standing ON true
LEFT JOIN LATERAL (
    -- Use the primary key if the address is known: a popular symbol has thousands of tokens on a chain.
    SELECT *
    FROM indexed_token
    WHERE chain_id = %(chain_id)s AND address = meant.address
    UNION ALL
    (
        SELECT *
        FROM indexed_token
        WHERE symbol_key = %(symbol)s AND chain_id = %(chain_id)s AND meant.address IS NULL
        ORDER BY precedence, address
        LIMIT 1
    )
) AS token ON true
