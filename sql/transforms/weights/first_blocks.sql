-- The first block of each hour from an hour on.
SELECT toUInt32(toStartOfHour(block_time)) AS hour, min(block_number) AS first_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND block_time >= {from_hour:DateTime('UTC')}
GROUP BY hour
ORDER BY hour
