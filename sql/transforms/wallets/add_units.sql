-- Which tokens the wallets of some units sent or received, and in which blocks.
INSERT INTO agg_wallet_transfer (chain_id, wallet, token, block_number)
SELECT chain_id, side, token, block_number
FROM fact_transfer
ARRAY JOIN [from_address, to_address] AS side
WHERE chain_id = {chain_id:UInt32} AND unit_id > {after:UInt64} AND unit_id <= {up_to:UInt64}
  AND side != repeat('\0', 20)
