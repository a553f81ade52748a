SELECT
    chain_of(controls.chain_id) AS chain,
    controls.chain_id AS chain_id,
    caip2_of(controls.chain_id) AS caip2,
    text_of(controls.chain_id, controls.token) AS token,
    controls.symbol AS symbol,
    controls.name AS name,
    text_of(controls.chain_id, controls.wallet) AS wallet,
    controls.method AS method,
    controls.is_copy AS is_copy,
    controls.qualifies_from AS qualifies_from,
    controls.as_of_block AS as_of_block
FROM published_serve_provenance AS controls
