-- How many transfers each month before a time has, by the month's number and the name of its partition.
SELECT toUInt32(splitByChar('-', partition_id)[2]) AS month_number, partition_id, count() AS transfers
FROM (SELECT _partition_id AS partition_id FROM fact_transfer WHERE chain_id = {chain_id:UInt32})
WHERE month_number < toYYYYMM({before:DateTime('UTC')})
GROUP BY partition_id
ORDER BY month_number
