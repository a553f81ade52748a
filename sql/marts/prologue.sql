-- What the statement of every mart begins with: the published chains as constants, and how ids and bytes become text.
-- The first expression is the one that skip indexes are made of (text_of), so filters by address prune.
WITH
    (SELECT (ids, keys, caip2s, blocks) FROM known_chains) AS known,
    ((id, raw) -> multiIf(empty(raw), '', id = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of,
    (id -> transform(id, known.1, known.2, '')) AS chain_of,
    (id -> transform(id, known.1, known.3, '')) AS caip2_of,
    (id -> transform(id, known.1, known.4, toUInt64(0))) AS block_of,
    ((raw, decimals) -> toFloat64(raw) / exp10(decimals)) AS units_of,
    ((unit_usd, decimals) -> toFloat64(unit_usd) * exp10(decimals)) AS price_of
