-- The newest row of each of these tokens, and where it says that its metadata are.
SELECT
    lower(hex(newest.address)) AS address,
    newest.row.1 AS name,
    newest.row.2 AS symbol,
    newest.row.3 AS decimals,
    toString(newest.row.4) AS total_supply_raw,
    newest.row.5 AS program,
    newest.row.6 AS traits,
    newest.row.7 AS read_status,
    newest.newest_block AS newest_block,
    newest.first_block AS first_block,
    toUnixTimestamp(newest.first_time) AS first_time,
    lower(hex(pointers.pointer)) AS pointer
FROM
(
    SELECT
        address,
        argMax(
            tuple(name, symbol, decimals, total_supply_raw, program, traits, read_status), (read_block, unit_id)
        ) AS row,
        max(read_block) AS newest_block,
        argMax(fact_token.first_block, (read_block, unit_id)) AS first_block,
        argMax(fact_token.first_time, (read_block, unit_id)) AS first_time
    FROM fact_token
    WHERE chain_id = {chain_id:UInt32} AND read_block < {before:UInt64}
      AND address IN (SELECT unhex(arrayJoin({addresses:Array(String)})))
    GROUP BY address
) AS newest
LEFT JOIN
(
    SELECT address, argMax(account, (block_number, log_index)) AS pointer
    FROM fact_control
    WHERE chain_id = {chain_id:UInt32} AND block_number < {before:UInt64} AND kind = 'metadata_pointer'
      AND address IN (SELECT unhex(arrayJoin({addresses:Array(String)})))
    GROUP BY address
) AS pointers ON pointers.address = newest.address
