-- Finds what a wallet did without reading every token: the tokens that it sent or received, and the blocks. The rows
-- only say where to look, and all values come from the facts and the sums. So they may say too much (a block that was
-- reverted), and must never say too little: units that are not in yet are read from the facts
-- (docs/decisions/0051-storage-by-month.md).
CREATE TABLE agg_wallet_transfer
(
    chain_id UInt32,
    wallet String COMMENT 'sender or recipient, but not the zero address; empty: block_number is the last unit that is in',
    token String,
    block_number UInt64 CODEC(Delta, ZSTD(1)),
    INDEX wallet_text multiIf(empty(wallet), '', chain_id = 900900, base58Encode(wallet), concat('0x', lower(hex(wallet))))
        TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree PARTITION BY chain_id ORDER BY (chain_id, wallet, token, block_number)
SETTINGS index_granularity = 1024, fsync_after_insert = 1;

-- A wallet's transfers on one chain: published_wallet_transfer(chain_id = 8453, wallet = unhex('…')).
CREATE VIEW published_wallet_transfer AS
WITH
    (SELECT (chains, blocks) FROM publication_bounds) AS published,
    (SELECT max(block_number) FROM agg_wallet_transfer WHERE chain_id = {chain_id:UInt32} AND wallet = '') AS last_unit
SELECT * EXCEPT (unit_id)
FROM fact_transfer
WHERE chain_id = {chain_id:UInt32} AND unit_id <= last_unit
  AND (token, block_number) IN
  (
      SELECT token, block_number FROM agg_wallet_transfer
      WHERE chain_id = {chain_id:UInt32} AND wallet = {wallet:String}
  )
  -- The same blocks again: by these the index on blocks skips the other months of a token.
  AND block_number IN
  (
      SELECT block_number FROM agg_wallet_transfer
      WHERE chain_id = {chain_id:UInt32} AND wallet = {wallet:String}
  )
  AND (from_address = {wallet:String} OR to_address = {wallet:String})
  AND block_number <= transform(chain_id, published.1, published.2, toInt64(-1))
UNION ALL
SELECT * EXCEPT (unit_id)
FROM fact_transfer
WHERE chain_id = {chain_id:UInt32} AND unit_id > last_unit AND {wallet:String} != repeat('\0', 20)
  AND (from_address = {wallet:String} OR to_address = {wallet:String})
  AND block_number <= transform(chain_id, published.1, published.2, toInt64(-1));

-- What a wallet holds on one chain: published_wallet_balance(chain_id = 8453, wallet = unhex('…')).
CREATE VIEW published_wallet_balance AS
WITH
    (SELECT max(block_number) FROM agg_wallet_transfer WHERE chain_id = {chain_id:UInt32} AND wallet = '') AS last_unit
SELECT *
FROM published_balance
WHERE chain_id = {chain_id:UInt32} AND wallet = {wallet:String} AND token IN
(
    SELECT token FROM agg_wallet_transfer
    WHERE chain_id = {chain_id:UInt32} AND wallet = {wallet:String}
    UNION DISTINCT
    SELECT token FROM fact_transfer
    WHERE chain_id = {chain_id:UInt32} AND unit_id > last_unit
      AND (from_address = {wallet:String} OR to_address = {wallet:String})
);
