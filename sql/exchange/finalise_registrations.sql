-- Final once and for good; the event is recorded with it, exactly once. token_ids and block_hashes go in pairs: a row
-- whose mint was told from another block is not the one the events know.
WITH final AS (
    UPDATE registration SET is_final = true, updated_at = now()
    FROM unnest(%(token_ids)s::bigint[], %(block_hashes)s::text[]) AS known (token_id, block_hash)
    WHERE registration.chain_id = %(chain_id)s AND registration.token_id = known.token_id
      AND registration.block_hash = known.block_hash AND NOT registration.is_final
      AND registration.block_number <= %(final_block)s
    RETURNING registration.*
)
INSERT INTO event_log (type, chain_id, subject, payload, dedupe_key)
SELECT
    'token.minted',
    chain_id,
    symbol,
    jsonb_build_object(
        'chainId', chain_id,
        'tokenId', token_id,
        'symbol', symbol,
        'owner', owner,
        'tokenAddress', token_address,
        'registry', registry,
        'transactionHash', transaction_hash,
        'blockNumber', block_number,
        'withReceipt', with_receipt,
        'mintedAt', to_char(minted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    ),
    'token.minted:' || chain_id || ':' || token_id || ':' || transaction_hash
FROM final
ORDER BY block_number, log_index
ON CONFLICT (dedupe_key) DO NOTHING
