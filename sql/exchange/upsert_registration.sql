-- The row as the chain's events make it. Whoever wrote it first wins what the events do not say (how control was
-- verified, the metadata document); a second time changes nothing.
INSERT INTO registration (
    chain_id, token_id, block_hash, log_index, block_number, transaction_hash, registry, symbol, owner, token_address,
    fee_wei, with_receipt, minted_at, managers, maintainers, metadata_cid, peer_chain_id, peer_token_id, released_at,
    expired_at, verification_method, verified_at
)
SELECT
    %(chain_id)s, %(token_id)s, %(block_hash)s, %(log_index)s, %(block_number)s, %(transaction_hash)s, %(registry)s,
    %(symbol)s, %(owner)s, %(token_address)s, %(fee_wei)s, %(with_receipt)s, %(minted_at)s, %(managers)s::text[],
    %(maintainers)s::text[], %(metadata_cid)s, %(peer_chain_id)s, %(peer_token_id)s, %(released_at)s, %(expired_at)s,
    proof.verification_method, proof.signed_at
FROM (SELECT) AS nothing
LEFT JOIN LATERAL (
    SELECT claim_proof.verification_method, claim_proof.signed_at
    FROM claim_authorization
    JOIN claim_proof ON claim_proof.proof_hash = claim_authorization.proof_hash
    WHERE claim_authorization.chain_id = %(chain_id)s
      AND claim_authorization.token_address = %(token_address)s
      AND claim_authorization.wallet = %(owner)s
    ORDER BY claim_authorization.created_at DESC
    LIMIT 1
) AS proof ON true
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
    metadata = CASE WHEN registration.metadata_cid IS DISTINCT FROM excluded.metadata_cid THEN NULL
                    ELSE registration.metadata END,
    metadata_cid = excluded.metadata_cid,
    peer_chain_id = excluded.peer_chain_id,
    peer_token_id = excluded.peer_token_id,
    released_at = excluded.released_at,
    expired_at = excluded.expired_at,
    verification_method = COALESCE(registration.verification_method, excluded.verification_method),
    verified_at = COALESCE(registration.verified_at, excluded.verified_at),
    updated_at = now()
WHERE (
    registration.block_hash, registration.log_index, registration.block_number, registration.owner, registration.symbol,
    registration.token_address, registration.managers, registration.maintainers, registration.metadata_cid,
    registration.peer_chain_id, registration.peer_token_id, registration.released_at, registration.expired_at,
    registration.minted_at
) IS DISTINCT FROM (
    excluded.block_hash, excluded.log_index, excluded.block_number, excluded.owner, excluded.symbol,
    excluded.token_address, excluded.managers, excluded.maintainers, excluded.metadata_cid,
    excluded.peer_chain_id, excluded.peer_token_id, excluded.released_at, excluded.expired_at, excluded.minted_at
)
RETURNING token_address
