SELECT version, published_at, mapKeys(as_of_blocks) AS chain_ids, mapValues(as_of_blocks) AS blocks
FROM serve_publication ORDER BY version DESC LIMIT 1
