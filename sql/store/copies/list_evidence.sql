-- The figures behind the copy verdicts of tokens; chain_ids and addresses are pairs.
SELECT
    token.chain_id, token.address, token.weight_usd, token.senior_since, token.senior_block, token.copy_unknown,
    original.established_usd AS original_usd, original.senior_since AS original_since,
    original.senior_block AS original_block, progress.as_of_block, progress.as_of_time, progress.weighed_through,
    ruling.reason AS ruled_reason, ruling.symbol_folded AS ruled_symbol, token.symbol_key
FROM unnest(%(chain_ids)s::bigint[], %(addresses)s::text[]) AS asked (chain_id, address)
JOIN indexed_token AS token ON token.chain_id = asked.chain_id AND token.address = asked.address
JOIN copy_progress AS progress ON progress.chain_id = asked.chain_id
LEFT JOIN indexed_token AS original
  ON original.chain_id = token.copy_of_chain_id AND original.address = token.copy_of_address
LEFT JOIN copy_ruling AS ruling ON ruling.chain_id = asked.chain_id AND ruling.address = asked.address
