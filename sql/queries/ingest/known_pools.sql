SELECT DISTINCT lower(hex(known.pool)) AS pool, known.protocol AS protocol
FROM fact_pool AS known
WHERE known.chain_id = {chain_id:UInt32} AND known.block_number < {before:UInt64}
    AND known.pool IN (SELECT unhex(arrayJoin({pools:Array(String)})))
