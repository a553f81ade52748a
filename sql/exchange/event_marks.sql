-- How far the tables that events are made of have come.
SELECT subject, change_id, details
FROM derive_checkpoint
WHERE chain_id = %(chain_id)s AND subject IN ('registrations', 'holders', 'trades', 'liquidity', 'prices', 'heartbeats')
