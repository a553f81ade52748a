-- A contract may be created again at an address after it destroyed itself: the last creation counts.
SELECT
    chain_of(made.chain_id) AS chain,
    made.chain_id AS chain_id,
    caip2_of(made.chain_id) AS caip2,
    text_of(made.chain_id, made.address) AS token,
    names.symbol AS symbol,
    names.name AS name,
    text_of(made.chain_id, made.creator) AS deployer,
    text_of(made.chain_id, made.factory) AS factory,
    text_of(made.chain_id, made.transaction_to) AS transaction_to,
    made.block_number AS block_number,
    made.block_time AS block_time,
    made.creation_index AS creation_index,
    text_of(made.chain_id, made.transaction_hash) AS transaction_hash,
    block_of(made.chain_id) AS as_of_block
FROM
(
    SELECT *
    FROM published_fact_contract_creation
    ORDER BY chain_id DESC, address DESC, block_number DESC, creation_index DESC
    LIMIT 1 BY chain_id, address
) AS made
INNER JOIN token_name AS names ON names.chain_id = made.chain_id AND names.token = made.address
