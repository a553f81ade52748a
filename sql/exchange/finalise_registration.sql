-- Final once and for good; the event is recorded with it, exactly once.
WITH final AS (
    UPDATE registration SET is_final = true, updated_at = now()
    WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND block_hash = %(block_hash)s AND NOT is_final
      AND block_number <= %(final_block)s
    RETURNING *
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
ON CONFLICT (dedupe_key) DO NOTHING
