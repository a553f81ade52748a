-- The enabled apps of many registrations, each page's in its own order. The parameters are comma-separated texts; items
-- at the same position belong together.
WITH asked AS (
    SELECT chain_id::bigint AS chain_id, token_id::bigint AS token_id
    FROM unnest(string_to_array(%(chain_ids)s, ','), string_to_array(%(token_ids)s, ',')) AS asked (chain_id, token_id)
)
SELECT page_app.chain_id, page_app.token_id, page_app.app_id
FROM asked
JOIN page_app USING (chain_id, token_id)
WHERE page_app.enabled
ORDER BY page_app.chain_id, page_app.token_id, page_app.position, page_app.app_id
