SELECT
    lower(hex(creation.address)) AS address,
    min(creation.block_number) AS first_block,
    toUnixTimestamp(min(creation.block_time)) AS first_time
FROM fact_contract_creation AS creation
WHERE creation.chain_id = {chain_id:UInt32} AND creation.block_number < {before:UInt64}
    AND creation.address IN (SELECT unhex(arrayJoin({addresses:Array(String)})))
GROUP BY creation.address
