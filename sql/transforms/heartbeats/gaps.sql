-- Times without blocks longer than allowed_seconds between two moments: the chain was not observed.
SELECT toUInt32(before) AS gap_start, toUInt32(block_time) AS gap_end
FROM
(
    SELECT block_time, lagInFrame(block_time, 1, block_time) OVER (
        ORDER BY block_number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS before
    FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= {since:DateTime('UTC')} AND block_time <= {as_of:DateTime('UTC')}
)
WHERE block_time - before > {allowed_seconds:UInt32}
ORDER BY gap_start
