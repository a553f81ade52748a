-- Record that a month of transfers goes. Of several rows of a month the newest counts.
INSERT INTO dropped_month (chain_id, month, kept_from, first_block, transfers)
SELECT {chain_id:UInt32}, {month:Date}, {kept_from:DateTime('UTC')}, {first_block:UInt64}, {transfers:UInt64}
