-- Record under change 0, which no reader asks for, that changes below a number are incomplete.
INSERT INTO fact_change (chain_id, change_id, subject, key, from_block, from_time)
SELECT {chain_id:UInt32}, 0, 'thinned', '', {below:UInt64}, {before:DateTime('UTC')}
