SELECT DISTINCT lower(hex(pool)) AS pool, protocol
FROM fact_pool
WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT unhex(arrayJoin({pools:Array(String)})))
