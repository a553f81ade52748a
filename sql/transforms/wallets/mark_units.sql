-- Record that the transfers of all units up to a number are in.
INSERT INTO agg_wallet_transfer (chain_id, wallet, token, block_number)
SELECT {chain_id:UInt32}, '', '', {up_to:UInt64}
