-- Months of transfers that a chain's retention removed. A row is written before the month's partition is dropped: from
-- then on whatever reads transfers begins where they are kept (docs/decisions/0051-storage-by-month.md).
CREATE TABLE dropped_month
(
    chain_id UInt32,
    month Date COMMENT 'its first day',
    kept_from DateTime('UTC') COMMENT 'transfers from this time on are kept: the beginning of a later month',
    first_block UInt64 COMMENT 'the first block from that time on',
    transfers UInt64 COMMENT 'how many the month had',
    decided_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(decided_at) ORDER BY (chain_id, month)
SETTINGS fsync_after_insert = 1;
