-- From which block and time on a chain's transfers are kept.
SELECT max(first_block) AS first_block, maxOrNull(kept_from) AS since
FROM dropped_month
WHERE chain_id = {chain_id:UInt32}
