-- When copies of tokens were first seen by this service, since a moment in unix seconds.
SELECT registration.token_address AS address, extract(epoch FROM sighting.seen_at)::bigint AS at
FROM copy_sighting AS sighting
JOIN registration
  ON registration.chain_id = sighting.of_chain_id AND registration.token_id = sighting.of_token_id
WHERE sighting.of_chain_id = %(chain_id)s AND registration.token_address = ANY(%(addresses)s)
  AND sighting.seen_at >= to_timestamp(%(moment)s)
ORDER BY 2
