-- Set the figures of the last complete hour, remove those of tokens that have none any more, and say as of when the
-- chain's verdicts hold, all at once. Returns how many tokens were changed.
WITH given AS (
    SELECT
        address, weight_usd, established_usd,
        CASE WHEN since_seconds > 0 THEN to_timestamp(since_seconds) END AS senior_since,
        CASE WHEN since_seconds > 0 THEN since_block END AS senior_block
    FROM unnest(
        string_to_array(%(addresses)s, ','), string_to_array(%(weights_usd)s, ',')::numeric[],
        string_to_array(%(established_usd)s, ',')::numeric[], string_to_array(%(since_seconds)s, ',')::bigint[],
        string_to_array(%(since_blocks)s, ',')::bigint[]
    ) AS item(address, weight_usd, established_usd, since_seconds, since_block)
),
changed AS (
    UPDATE indexed_token AS token
    SET weight_usd = given.weight_usd,
        established_usd = given.established_usd,
        senior_since = given.senior_since,
        senior_block = given.senior_block
    FROM given
    WHERE token.chain_id = %(chain_id)s AND token.address = given.address
      AND (token.weight_usd, token.established_usd, token.senior_since, token.senior_block)
          IS DISTINCT FROM (given.weight_usd, given.established_usd, given.senior_since, given.senior_block)
    RETURNING 1
),
cleared AS (
    UPDATE indexed_token AS token
    SET weight_usd = NULL, established_usd = NULL, senior_since = NULL, senior_block = NULL
    WHERE token.chain_id = %(chain_id)s AND token.weight_usd IS NOT NULL
      AND NOT EXISTS (SELECT FROM given WHERE given.address = token.address)
    RETURNING 1
),
progress AS (
    INSERT INTO copy_progress (chain_id, as_of_block, as_of_time, weighed_through, weighed_block, history_from)
    VALUES (
        %(chain_id)s, %(as_of_block)s, %(as_of_time)s, %(weighed_through)s::timestamptz, %(weighed_block)s::bigint,
        %(history_from)s::timestamptz
    )
    ON CONFLICT (chain_id) DO UPDATE SET
        as_of_block = excluded.as_of_block,
        as_of_time = excluded.as_of_time,
        weighed_through = excluded.weighed_through,
        weighed_block = excluded.weighed_block,
        history_from = excluded.history_from
)
SELECT (SELECT count(*) FROM changed) + (SELECT count(*) FROM cleared) AS tokens
