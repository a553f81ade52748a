-- How far the tables have come that events are made of, and whether the chain has registrations to tell of.
SELECT
    subject, change_id, details,
    EXISTS (SELECT FROM registration WHERE registration.chain_id = %(chain_id)s) AS registered
FROM derive_checkpoint
WHERE chain_id = %(chain_id)s AND subject IN ('registrations', 'trades', 'liquidity', 'prices', 'heartbeats')
