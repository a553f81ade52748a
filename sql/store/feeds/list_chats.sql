-- Feeds with a chat, and through which block their chain is told; of accounts whose plan covers them. place: among the
-- account's feeds, the oldest first.
SELECT
    feed.id, feed.chain_id, feed.token_address, feed.owner_wallet, feed.min_usd, feed.min_raw, feed.channel,
    feed.after_block, feed.place, account.plan, progress.block_number AS told
FROM (
    SELECT alert_feed.*, row_number() OVER (PARTITION BY account_id ORDER BY created_at, id) AS place FROM alert_feed
) AS feed
JOIN account ON account.id = feed.account_id
JOIN alert_feed_progress AS progress ON progress.chain_id = feed.chain_id
WHERE feed.channel IS NOT NULL
