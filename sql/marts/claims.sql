SELECT
    chain_of(claims.chain_id) AS chain,
    claims.chain_id AS chain_id,
    caip2_of(claims.chain_id) AS caip2,
    claims.claim_id AS claim_id,
    claims.symbol AS symbol,
    claims.token AS token,
    claims.wallet AS wallet,
    claims.verification_method AS verification_method,
    toString(claims.fee_raw) AS fee_raw,
    toFloat64(claims.price_usd) AS price_usd,
    claims.built_at AS built_time,
    claims.deadline AS deadline,
    claims.token_id IS NOT NULL AS is_registered,
    claims.token_id AS token_id,
    block_of(claims.chain_id) AS as_of_block
FROM published_mirror_claim AS claims
