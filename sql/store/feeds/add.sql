-- Add a feed. It tells of buys after the last block that is told now. With the first chat of a chain the chain's position
-- begins there: while nobody listened it stood still.
WITH began AS (
    SELECT coalesce(max(block), 0) AS block
    FROM (
        SELECT least(final_block, block_number) AS block FROM chain_checkpoint WHERE chain_id = %(chain_id)s
    ) AS reached
), progress AS (
    INSERT INTO alert_feed_progress AS kept (chain_id, block_number)
    SELECT %(chain_id)s, block FROM began WHERE CAST(%(channel)s AS text) IS NOT NULL
    ON CONFLICT (chain_id) DO UPDATE SET block_number = excluded.block_number
    WHERE NOT EXISTS (SELECT FROM alert_feed WHERE chain_id = %(chain_id)s AND channel IS NOT NULL)
)
INSERT INTO alert_feed (
    id, account_id, chain_id, token_address, owner_wallet, min_usd, min_raw, channel, sealed, after_block, created_at)
SELECT
    %(id)s, %(account_id)s, %(chain_id)s, %(token_address)s, %(owner_wallet)s, %(min_usd)s, %(min_raw)s, %(channel)s,
    %(sealed)s, began.block, %(now)s
FROM began
