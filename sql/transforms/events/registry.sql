-- Logs of a chain's registry in a range of blocks, of the kinds that subscribers are notified of. Some kinds do not say
-- the symbol: it is the one that their registration was made with.
WITH told AS (
    SELECT *
    FROM fact_registry_event
    WHERE chain_id = {chain_id:UInt32} AND block_number >= {first:UInt64} AND block_number <= {final:UInt64}
      AND kind IN (
          'registered', 'released', 'ended', 'settled', 'end_announced', 'end_objected', 'end_vetoed', 'end_withdrawn',
          'metadata'
      )
    ORDER BY block_number, log_index
    LIMIT {limit:UInt32}
),
registered AS (
    SELECT token_id, any(symbol) AS symbol
    FROM fact_registry_event
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {final:UInt64} AND kind = 'registered'
      AND token_id IN (SELECT token_id FROM told WHERE startsWith(kind, 'end_') OR kind = 'settled')
    GROUP BY token_id
)
SELECT
    told.block_number AS block_number,
    toUInt32(told.block_time) AS block_time_seconds,
    told.log_index AS log_index,
    told.kind AS kind,
    told.token_id AS token_id,
    if(told.symbol = '', registered.symbol, told.symbol) AS symbol,
    lower(hex(told.owner)) AS owner,
    lower(hex(told.transaction_hash)) AS transaction_hash,
    told.metadata_cid AS metadata_cid,
    told.reason AS reason,
    toUInt32(told.due_at) AS due_at,
    told.new_token_id AS new_token_id
FROM told
LEFT JOIN registered ON registered.token_id = told.token_id
ORDER BY block_number, log_index
