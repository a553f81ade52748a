-- Stretches without any block, longer than allowed_seconds, in the month before a moment: times for which nothing is
-- known. The first row says when the chain's known history begins.
SELECT kind, toUInt32(gap_start) AS gap_start, toUInt32(gap_end) AS gap_end
FROM
(
    SELECT 'known_from' AS kind, min(block_time) AS gap_start, min(block_time) AS gap_end
    FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND block_number =
        (SELECT min(block_number) FROM raw_block WHERE chain_id = {chain_id:UInt32})
    UNION ALL
    SELECT 'gap' AS kind, before AS gap_start, block_time AS gap_end
    FROM
    (
        SELECT block_time, lagInFrame(block_time, 1, block_time) OVER (
            ORDER BY block_number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS before
        FROM raw_block
        WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
          AND block_time >= {as_of:DateTime('UTC')} - 2764800 AND block_time <= {as_of:DateTime('UTC')}
    )
    WHERE block_time - before > {allowed_seconds:UInt32}
)
ORDER BY kind DESC, gap_start
