SELECT
    chain_of(made.chain_id) AS chain,
    made.chain_id AS chain_id,
    caip2_of(made.chain_id) AS caip2,
    made.token_id AS token_id,
    made.symbol AS symbol,
    made.token AS token,
    made.owner AS owner,
    made.registry AS registry,
    made.verification_method AS verification_method,
    units_of(made.fee_raw, if(config.chain_id = 0, 18, config.native_decimals)) AS fee,
    toString(made.fee_raw) AS fee_raw,
    made.free AS free,
    made.metadata_cid AS metadata_cid,
    made.registered_at AS registered_time,
    made.block_number AS registered_block,
    made.transaction_hash AS transaction_hash,
    made.ended_at AS ended_time,
    made.end_reason AS end_reason,
    made.is_final AS is_final,
    block_of(made.chain_id) AS as_of_block
FROM published_mirror_registration AS made
LEFT ANY JOIN (SELECT * FROM chain_config FINAL) AS config ON config.chain_id = made.chain_id
