-- How far the tables that events are made from have been derived, and whether the chain has any registration.
SELECT
    subject, change_id, details,
    EXISTS (SELECT FROM registration WHERE registration.chain_id = %(chain_id)s) AS registered
FROM derive_checkpoint
WHERE chain_id = %(chain_id)s AND subject IN ('registrations', 'trades', 'liquidity', 'prices', 'heartbeats')
