-- All that is published about whether a token may claim its symbol, in one row: its copy verdict with the figures of
-- both tokens, as of when the chain's verdicts hold, the operator's ruling, whom the symbol is reserved for, and
-- the failed check of the data that forbids relying on any of it. Nulls where there is none.
SELECT
    token.symbol_key, token.is_copy, token.copy_rule, token.copy_unknown, token.copy_of_chain_id, token.copy_of_address,
    token.weight_usd, token.senior_since, token.senior_block,
    original.established_usd AS original_usd, original.senior_since AS original_since,
    original.senior_block AS original_block,
    progress.as_of_block, progress.as_of_time, progress.weighed_through, progress.history_from,
    (SELECT min(check_name) FROM check_hold) AS held_by,
    ruling.is_copy AS ruled_copy, ruling.of_address AS ruled_of, ruling.reason AS ruled_reason,
    reservation.challenger_token AS reserved_for, reservation.ended_at AS reserved_from
FROM (VALUES (1)) AS one
LEFT JOIN indexed_token AS token ON token.chain_id = %(chain_id)s AND token.address = %(address)s
LEFT JOIN indexed_token AS original
  ON original.chain_id = token.copy_of_chain_id AND original.address = token.copy_of_address
LEFT JOIN copy_progress AS progress ON progress.chain_id = %(chain_id)s
LEFT JOIN copy_ruling AS ruling
  ON ruling.chain_id = %(chain_id)s AND ruling.address = %(address)s
 AND (ruling.symbol_folded IS NULL OR ruling.symbol_folded = %(symbol_folded)s)
LEFT JOIN LATERAL (
    -- ended_at is null while the end is announced.
    SELECT challenger_token, ended_at
    FROM registration_challenge
    WHERE chain_id = %(chain_id)s AND symbol_folded = %(symbol_folded)s
      AND (state = 'upheld' OR (state = 'ended' AND ended_at > %(reserved_after)s))
    ORDER BY ended_at DESC NULLS FIRST
    LIMIT 1
) AS reservation ON true
