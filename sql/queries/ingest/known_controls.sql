-- Who is in charge of these tokens, by kind.
SELECT
    lower(hex(fact_control.address)) AS address,
    kind,
    lower(hex(argMax(account, (block_number, log_index)))) AS account
FROM fact_control
WHERE chain_id = {chain_id:UInt32} AND block_number < {before:UInt64}
    AND fact_control.address IN (SELECT unhex(arrayJoin({addresses:Array(String)})))
GROUP BY fact_control.address, kind
