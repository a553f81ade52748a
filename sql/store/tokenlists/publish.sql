-- Publish a version of the token list if it differs from the registrations: a removed token makes a major version, an
-- added one a minor version, a changed entry a patch. Without a difference nothing is written, so this is safe to run
-- again. The caller holds the lock, so only one runs at a time. Listed is every registration that is final and active:
-- not released, not expired, and not inactive by its heartbeat once its grace period is over. A token whose decimals
-- are unknown cannot be listed.
WITH registered AS (
    SELECT DISTINCT ON (registration.chain_id, registration.token_address)
        registration.chain_id,
        registration.token_address AS address,
        registration.token_id AS crown_id,
        registration.symbol,
        -- The token list schema requires no control characters and at most sixty characters.
        coalesce(
            nullif(left(btrim(regexp_replace(token.name, '[[:cntrl:][:space:]]+', ' ', 'g')), 60), ''),
            registration.symbol
        ) AS name,
        token.decimals,
        CASE
            WHEN coalesce(registration.presented ->> 'nsfw', '') <> 'true'
             AND registration.presented ->> 'logoUrl' ~ '^(https|ipfs)://[[:alnum:]][!#$&-;=?-Z_a-z~%%\[\]]*$'
            THEN registration.presented ->> 'logoUrl'
        END AS logo_uri,
        registration.minted_at AS listed_since
    FROM registration
    JOIN indexed_token AS token
      ON token.chain_id = registration.chain_id AND token.address = registration.token_address
    WHERE registration.is_final AND registration.released_at IS NULL AND registration.expired_at IS NULL
      AND token.decimals IS NOT NULL AND registration.minted_at IS NOT NULL
      AND (
          registration.minted_at > now() - make_interval(days => %(grace_days)s)
          OR token.score IS NULL OR token.score >= %(inactive_below)s
      )
    ORDER BY registration.chain_id, registration.token_address, registration.token_id DESC
),
standing AS (
    SELECT * FROM token_list_entry WHERE until_version IS NULL
),
difference AS (
    SELECT
        coalesce(registered.chain_id, standing.chain_id) AS chain_id,
        coalesce(registered.address, standing.address) AS address,
        standing.address IS NULL AS added,
        registered.address IS NULL AS removed
    FROM registered
    FULL JOIN standing USING (chain_id, address)
    WHERE registered.address IS NULL OR standing.address IS NULL
       OR (registered.crown_id, registered.symbol, registered.name, registered.decimals, registered.logo_uri,
           registered.listed_since)
          IS DISTINCT FROM
          (standing.crown_id, standing.symbol, standing.name, standing.decimals::smallint, standing.logo_uri,
           standing.listed_since)
),
counts AS (
    SELECT
        count(*) FILTER (WHERE added) AS added,
        count(*) FILTER (WHERE removed) AS removed,
        count(*) FILTER (WHERE NOT added AND NOT removed) AS changed
    FROM difference
),
latest AS (
    SELECT * FROM token_list_version ORDER BY version_id DESC LIMIT 1
),
made AS (
    INSERT INTO token_list_version (version_id, major, minor, patch, tokens, added, changed, removed)
    SELECT
        latest.version_id + 1,
        latest.major + (counts.removed > 0)::int,
        CASE WHEN counts.removed > 0 THEN 0 ELSE latest.minor + (counts.added > 0)::int END,
        CASE WHEN counts.removed + counts.added > 0 THEN 0 ELSE latest.patch + 1 END,
        (SELECT count(*) FROM registered),
        counts.added,
        counts.changed,
        counts.removed
    FROM counts
    CROSS JOIN latest
    WHERE counts.added + counts.changed + counts.removed > 0
    RETURNING *
),
ended AS (
    UPDATE token_list_entry SET until_version = made.version_id
    FROM made, difference
    WHERE token_list_entry.chain_id = difference.chain_id AND token_list_entry.address = difference.address
      AND token_list_entry.until_version IS NULL AND NOT difference.added
    RETURNING token_list_entry.address
),
begun AS (
    INSERT INTO token_list_entry (
        chain_id, address, from_version, crown_id, symbol, name, decimals, logo_uri, listed_since
    )
    SELECT
        registered.chain_id, registered.address, made.version_id, registered.crown_id, registered.symbol,
        registered.name, registered.decimals, registered.logo_uri, registered.listed_since
    FROM made
    -- End an entry before its successor is added: a token has at most one current entry.
    CROSS JOIN (SELECT count(*) FROM ended) AS all_ended
    CROSS JOIN difference
    JOIN registered USING (chain_id, address)
)
SELECT version_id, major, minor, patch, tokens, added, changed, removed FROM made
