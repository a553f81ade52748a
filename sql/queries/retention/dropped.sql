-- Partitions of months that were decided on and that still hold transfers, because a run ended before it dropped them.
SELECT DISTINCT _partition_id AS partition_id
FROM fact_transfer
WHERE chain_id = {chain_id:UInt32}
  AND block_time < (SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32})
