-- When copies of one token were first seen by this service since a moment in unix seconds, at most as many as given; and begun, since
-- when copies are looked for on its chain. A row without a time: none was seen.
SELECT begun.at AS begun, extract(epoch FROM sighting.seen_at)::bigint AS at
FROM (
    SELECT extract(epoch FROM min(seen_at))::bigint AS at FROM copy_sighting WHERE of_chain_id = %(chain_id)s
) AS begun
LEFT JOIN (
    SELECT copy_sighting.seen_at
    FROM registration
    JOIN copy_sighting
      ON copy_sighting.of_chain_id = registration.chain_id AND copy_sighting.of_token_id = registration.token_id
    WHERE registration.chain_id = %(chain_id)s AND registration.token_address = %(address)s
      AND copy_sighting.seen_at >= to_timestamp(%(begin)s)
) AS sighting ON true
WHERE begun.at IS NOT NULL
ORDER BY sighting.seen_at
LIMIT %(limit)s
