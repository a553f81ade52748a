-- Insert or update tokens. A row without a score keeps its stored score. Copies of a registered token are also added to
-- copy_sighting, for the events.
WITH written AS (
    INSERT INTO indexed_token (
        chain_id, address, symbol_key, name, decimals, deployer, deployed_at, first_seen_at, precedence, is_copy,
        copy_of_chain_id, copy_of_address, copy_rule, copy_unknown, copy_until, deployed_block, deployed_index, named_at, trust_flags, score,
        timestamp_score, volume_score, holders_score, confidence_score, weights_version, scored_at, as_of_block
    )
    SELECT
        chain_id, address, symbol_key, name, decimals, deployer, deployed_at, first_seen_at, precedence, is_copy,
        copy_of_chain_id, copy_of_address, copy_rule, copy_unknown, copy_until, deployed_block, deployed_index, named_at, trust_flags, score,
        timestamp_score, volume_score, holders_score, confidence_score, weights_version, scored_at, as_of_block
    FROM jsonb_to_recordset(%(rows)s) AS item(
        chain_id bigint, address text, symbol_key text, name text, decimals smallint, deployer text,
        deployed_at timestamptz, first_seen_at timestamptz, precedence integer, is_copy boolean,
        copy_of_chain_id bigint, copy_of_address text, copy_rule text, copy_unknown text, copy_until timestamptz,
        deployed_block bigint, deployed_index integer, named_at timestamptz, trust_flags text[], score numeric(5, 2),
        timestamp_score numeric(5, 2), volume_score numeric(5, 2),
        holders_score numeric(5, 2), confidence_score numeric(5, 2), weights_version integer, scored_at timestamptz,
        as_of_block bigint
    )
    ON CONFLICT (chain_id, address) DO UPDATE SET
        symbol_key = excluded.symbol_key,
        name = excluded.name,
        decimals = excluded.decimals,
        deployer = excluded.deployer,
        deployed_at = excluded.deployed_at,
        first_seen_at = excluded.first_seen_at,
        precedence = excluded.precedence,
        is_copy = excluded.is_copy,
        copy_of_chain_id = excluded.copy_of_chain_id,
        copy_of_address = excluded.copy_of_address,
        copy_rule = excluded.copy_rule,
        copy_unknown = excluded.copy_unknown,
        copy_until = excluded.copy_until,
        deployed_block = excluded.deployed_block,
        deployed_index = excluded.deployed_index,
        named_at = excluded.named_at,
        trust_flags = excluded.trust_flags,
        score = COALESCE(excluded.score, indexed_token.score),
        timestamp_score = COALESCE(excluded.timestamp_score, indexed_token.timestamp_score),
        volume_score = COALESCE(excluded.volume_score, indexed_token.volume_score),
        holders_score = COALESCE(excluded.holders_score, indexed_token.holders_score),
        confidence_score = COALESCE(excluded.confidence_score, indexed_token.confidence_score),
        weights_version = COALESCE(excluded.weights_version, indexed_token.weights_version),
        scored_at = COALESCE(excluded.scored_at, indexed_token.scored_at),
        as_of_block = excluded.as_of_block,
        updated_at = now()
    WHERE (
        indexed_token.symbol_key, indexed_token.name, indexed_token.decimals, indexed_token.deployer,
        indexed_token.deployed_at, indexed_token.first_seen_at, indexed_token.precedence, indexed_token.is_copy,
        indexed_token.copy_of_chain_id, indexed_token.copy_of_address, indexed_token.copy_rule,
        indexed_token.copy_unknown, indexed_token.copy_until, indexed_token.deployed_block, indexed_token.deployed_index,
        indexed_token.named_at, indexed_token.trust_flags
    ) IS DISTINCT FROM (
        excluded.symbol_key, excluded.name, excluded.decimals, excluded.deployer, excluded.deployed_at,
        excluded.first_seen_at, excluded.precedence, excluded.is_copy, excluded.copy_of_chain_id,
        excluded.copy_of_address, excluded.copy_rule, excluded.copy_unknown, excluded.copy_until,
        excluded.deployed_block, excluded.deployed_index, excluded.named_at, excluded.trust_flags
    )
    OR (
        excluded.score IS NOT NULL AND (
            indexed_token.score, indexed_token.timestamp_score, indexed_token.volume_score, indexed_token.holders_score,
            indexed_token.confidence_score, indexed_token.scored_at
        ) IS DISTINCT FROM (
            excluded.score, excluded.timestamp_score, excluded.volume_score, excluded.holders_score,
            excluded.confidence_score, excluded.scored_at
        )
    )
    RETURNING chain_id, address, is_copy, copy_of_chain_id, copy_of_address, first_seen_at
)
INSERT INTO copy_sighting (chain_id, address, of_chain_id, of_token_id, first_seen_at)
SELECT written.chain_id, written.address, registration.chain_id, registration.token_id, written.first_seen_at
FROM written
JOIN registration
  ON registration.chain_id = written.copy_of_chain_id AND registration.token_address = written.copy_of_address
 AND registration.released_at IS NULL AND registration.expired_at IS NULL
WHERE written.is_copy
ORDER BY 1, 2, 3, 4
ON CONFLICT DO NOTHING
