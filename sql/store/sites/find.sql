-- An active registration with its verified domains that may show the badge; embeds are those that may also embed its
-- apps.
SELECT
    registration.symbol, registration.embeds_enabled,
    registration.minted_at, token.score,
    coalesce(array_agg(domain.domain ORDER BY domain.domain) FILTER (WHERE domain.domain IS NOT NULL), '{}') AS badges,
    coalesce(array_agg(domain.domain ORDER BY domain.domain) FILTER (WHERE domain.embeds), '{}') AS embeds
FROM registration
LEFT JOIN indexed_token AS token
  ON token.chain_id = registration.chain_id AND token.address = registration.token_address
LEFT JOIN registration_domain AS domain
  ON domain.chain_id = registration.chain_id AND domain.token_id = registration.token_id
 AND domain.verified_at IS NOT NULL AND domain.badge
WHERE registration.chain_id = %(chain_id)s AND registration.token_id = %(token_id)s
  AND registration.released_at IS NULL AND registration.expired_at IS NULL
GROUP BY registration.chain_id, registration.token_id, token.score
