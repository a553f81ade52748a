-- Update the newest scores of tokens of which nothing else changed. Columns are comma-separated texts. Returns which of
-- the tokens are indexed.
WITH scored AS (
    SELECT *
    FROM unnest(
        string_to_array(%(addresses)s, ','), string_to_array(%(scores)s, ',')::numeric[],
        string_to_array(%(timestamp_scores)s, ',')::numeric[], string_to_array(%(volume_scores)s, ',')::numeric[],
        string_to_array(%(holders_scores)s, ',')::numeric[], string_to_array(%(confidence_scores)s, ',')::numeric[],
        string_to_array(%(weights_versions)s, ',')::integer[], string_to_array(%(scored_at)s, ',')::bigint[],
        string_to_array(%(as_of_blocks)s, ',')::bigint[]
    ) AS item(
        address, score, timestamp_score, volume_score, holders_score, confidence_score, weights_version, scored_at,
        as_of_block
    )
),
listed AS (
    UPDATE indexed_token AS token
    SET score = scored.score,
        timestamp_score = scored.timestamp_score,
        volume_score = scored.volume_score,
        holders_score = scored.holders_score,
        confidence_score = scored.confidence_score,
        weights_version = scored.weights_version,
        scored_at = to_timestamp(scored.scored_at),
        as_of_block = scored.as_of_block,
        updated_at = now()
    FROM scored
    WHERE token.chain_id = %(chain_id)s AND token.address = scored.address
    RETURNING substr(token.address, 3) AS token
)
SELECT coalesce(string_agg(token, ','), '') AS tokens FROM listed
