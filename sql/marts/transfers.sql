SELECT
    chain_of(transfers.chain_id) AS chain,
    transfers.chain_id AS chain_id,
    caip2_of(transfers.chain_id) AS caip2,
    text_of(transfers.chain_id, transfers.token) AS token,
    names.symbol AS symbol,
    names.name AS name,
    transfers.block_number AS block_number,
    transfers.log_index AS log_index,
    transfers.block_time AS block_time,
    text_of(transfers.chain_id, transfers.transaction_hash) AS transaction_hash,
    multiIf(
        transfers.from_address = repeat('\0', 20), 'mint',
        transfers.to_address = repeat('\0', 20), 'burn',
        'transfer'
    ) AS kind,
    text_of(transfers.chain_id, transfers.from_address) AS from_address,
    text_of(transfers.chain_id, transfers.to_address) AS to_address,
    units_of(transfers.amount_raw, names.decimals) AS amount,
    toString(transfers.amount_raw) AS amount_raw,
    block_of(transfers.chain_id) AS as_of_block
FROM published_fact_transfer AS transfers
LEFT ANY JOIN token_name AS names ON names.chain_id = transfers.chain_id AND names.token = transfers.token
