-- Hashes of a snapshot's tree, in the order of the places that are asked for.
SELECT substring(snapshot_nodes FROM 32 * wanted.place + 1 FOR 32) AS node
FROM deal_vault, unnest(%(places)s::integer[]) WITH ORDINALITY AS wanted (place, position)
WHERE deal_id = %(id)s
ORDER BY wanted.position
