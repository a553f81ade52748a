SELECT
    chain_of(entries.chain_id) AS chain,
    entries.chain_id AS chain_id,
    caip2_of(entries.chain_id) AS caip2,
    entries.token AS token,
    entries.symbol AS symbol,
    entries.name AS name,
    entries.decimals AS decimals,
    entries.token_id AS token_id,
    entries.from_name AS from_version,
    entries.from_time AS from_time,
    entries.until_name AS until_version,
    entries.until_time AS until_time,
    entries.listed_since AS listed_since,
    entries.logo_url AS logo_url,
    block_of(entries.chain_id) AS as_of_block
FROM published_mirror_token_list AS entries
