-- Copies without an event whose token and whose original's registration are final. standing: whether the verdict and
-- the registration still hold.
SELECT
    sighting.address, sighting.of_chain_id, sighting.of_token_id, sighting.first_seen_at,
    registration.minted_at, registration.symbol,
    coalesce(
        registration.released_at IS NULL AND registration.expired_at IS NULL AND copy.is_copy
        AND copy.copy_of_chain_id = sighting.of_chain_id AND copy.copy_of_address = registration.token_address, false
    ) AS standing
FROM copy_sighting AS sighting
LEFT JOIN registration
  ON registration.chain_id = sighting.of_chain_id AND registration.token_id = sighting.of_token_id
LEFT JOIN indexed_token AS copy ON copy.chain_id = sighting.chain_id AND copy.address = sighting.address
WHERE sighting.chain_id = %(chain_id)s AND sighting.told_at IS NULL AND sighting.first_seen_at <= %(final_time)s
  AND coalesce(registration.is_final, true)
ORDER BY sighting.of_chain_id, sighting.of_token_id, sighting.first_seen_at, sighting.address
LIMIT 1000
