WITH (raw -> multiIf(raw = '', '', {chain_id:UInt32} = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of
SELECT
    text_of(published_agg_heartbeat.token) AS token,
    hour,
    symbol_key,
    score,
    timestamp_score,
    volume_score,
    holders_score,
    confidence_score,
    weights_version,
    inputs,
    as_of_block,
    computed_at
FROM published_agg_heartbeat
WHERE chain_id = {chain_id:UInt32}
