INSERT INTO deal_snapshot (deal_id, account, held_raw, place)
SELECT %(id)s, leaf.account, leaf.held_raw, leaf.place
FROM unnest(%(accounts)s::text[], %(held)s::numeric[], %(places)s::integer[]) AS leaf (account, held_raw, place)
