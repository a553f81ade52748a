-- Registrations as recorded on the chain, a JSON array of objects named like the columns; one object an id.
-- Two write them: a claim's receipt (from_receipt; one row, before the indexer saw the block) and the registry's
-- events. The first writer wins; the second changes nothing. A receipt replaces a row only where it tells of a mint in
-- another block and the row is not final; the events replace whatever differs from them. What neither says (how
-- control was verified, the document behind the CID, the owner's profile) is kept as long as it is about the same mint.
WITH told AS (
    SELECT *
    FROM jsonb_to_recordset(CAST(%(registrations)s AS jsonb)) AS told (
        chain_id bigint, token_id bigint, block_hash text, log_index integer, block_number bigint,
        transaction_hash text, registry text, symbol text, owner text, token_address text, fee_wei numeric,
        with_receipt boolean, minted_at timestamptz, managers text[], maintainers text[], metadata_cid text,
        peer_chain_id bigint, peer_token_id bigint, released_at timestamptz, expired_at timestamptz, end_reason text,
        settled_token_id bigint, pending_end text, pending_end_due_at timestamptz,
        pending_end_objected_at timestamptz, pending_end_confirmed_at timestamptz, end_stopped_at timestamptz
    )
)
INSERT INTO registration AS stored (
    chain_id, token_id, block_hash, log_index, block_number, transaction_hash, registry, symbol, owner, token_address,
    fee_wei, with_receipt, minted_at, managers, maintainers, metadata_cid, peer_chain_id, peer_token_id, released_at,
    expired_at, end_reason, settled_token_id, pending_end, pending_end_due_at, pending_end_objected_at,
    pending_end_confirmed_at, end_stopped_at, verification_method, verified_at
)
SELECT
    told.chain_id, told.token_id, told.block_hash, told.log_index, told.block_number, told.transaction_hash,
    told.registry, told.symbol, told.owner, told.token_address, told.fee_wei, told.with_receipt, told.minted_at,
    told.managers, told.maintainers, told.metadata_cid, told.peer_chain_id, told.peer_token_id, told.released_at,
    told.expired_at, told.end_reason, told.settled_token_id, told.pending_end, told.pending_end_due_at,
    told.pending_end_objected_at, told.pending_end_confirmed_at, told.end_stopped_at, proof.verification_method, proof.verified_at
FROM told
LEFT JOIN LATERAL (
    -- Without a proof (on Solana), control was verified when the authorisation was signed.
    SELECT
        COALESCE(claim_proof.verification_method, claim_authorization.verification_method) AS verification_method,
        COALESCE(claim_proof.signed_at, claim_authorization.created_at) AS verified_at
    FROM claim_authorization
    LEFT JOIN claim_proof ON claim_proof.proof_hash = claim_authorization.proof_hash
    WHERE claim_authorization.chain_id = told.chain_id
      AND claim_authorization.token_address = told.token_address
      AND claim_authorization.wallet = told.owner
      AND claim_authorization.symbol = told.symbol
    ORDER BY claim_authorization.created_at DESC
    LIMIT 1
) AS proof ON true
-- All writers use one order, so that two of them cannot deadlock.
ORDER BY told.chain_id, told.token_id
ON CONFLICT (chain_id, token_id) DO UPDATE SET
    block_hash = excluded.block_hash,
    log_index = excluded.log_index,
    block_number = excluded.block_number,
    transaction_hash = excluded.transaction_hash,
    registry = excluded.registry,
    symbol = excluded.symbol,
    owner = excluded.owner,
    token_address = excluded.token_address,
    fee_wei = excluded.fee_wei,
    with_receipt = excluded.with_receipt,
    minted_at = excluded.minted_at,
    managers = excluded.managers,
    maintainers = excluded.maintainers,
    metadata = CASE WHEN stored.metadata_cid IS NOT DISTINCT FROM excluded.metadata_cid THEN stored.metadata END,
    metadata_cid = excluded.metadata_cid,
    profile = CASE WHEN stored.transaction_hash = excluded.transaction_hash THEN stored.profile ELSE '{}' END,
    peer_chain_id = excluded.peer_chain_id,
    peer_token_id = excluded.peer_token_id,
    released_at = excluded.released_at,
    expired_at = excluded.expired_at,
    end_reason = excluded.end_reason,
    settled_token_id = excluded.settled_token_id,
    pending_end = excluded.pending_end,
    pending_end_due_at = excluded.pending_end_due_at,
    pending_end_objected_at = excluded.pending_end_objected_at,
    pending_end_confirmed_at = excluded.pending_end_confirmed_at,
    end_stopped_at = excluded.end_stopped_at,
    verification_method = CASE
        WHEN (stored.owner, stored.symbol, stored.token_address)
            = (excluded.owner, excluded.symbol, excluded.token_address)
        THEN COALESCE(stored.verification_method, excluded.verification_method) ELSE excluded.verification_method END,
    verified_at = CASE
        WHEN (stored.owner, stored.symbol, stored.token_address)
            = (excluded.owner, excluded.symbol, excluded.token_address)
        THEN COALESCE(stored.verified_at, excluded.verified_at) ELSE excluded.verified_at END,
    updated_at = now()
WHERE CASE
    WHEN %(from_receipt)s THEN NOT stored.is_final
        AND (stored.block_hash, stored.log_index) IS DISTINCT FROM (excluded.block_hash, excluded.log_index)
    ELSE (
        stored.block_hash, stored.log_index, stored.block_number, stored.owner, stored.symbol, stored.token_address,
        stored.managers, stored.maintainers, stored.metadata_cid, stored.peer_chain_id, stored.peer_token_id,
        stored.released_at, stored.expired_at, stored.minted_at, stored.end_reason, stored.settled_token_id,
        stored.pending_end, stored.pending_end_due_at, stored.pending_end_objected_at,
        stored.pending_end_confirmed_at, stored.end_stopped_at
    ) IS DISTINCT FROM (
        excluded.block_hash, excluded.log_index, excluded.block_number, excluded.owner, excluded.symbol,
        excluded.token_address, excluded.managers, excluded.maintainers, excluded.metadata_cid,
        excluded.peer_chain_id, excluded.peer_token_id, excluded.released_at, excluded.expired_at, excluded.minted_at,
        excluded.end_reason, excluded.settled_token_id, excluded.pending_end, excluded.pending_end_due_at,
        excluded.pending_end_objected_at, excluded.pending_end_confirmed_at, excluded.end_stopped_at
    )
END
RETURNING token_address
