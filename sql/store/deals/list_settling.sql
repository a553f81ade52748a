-- Deals whose settlement is authorised, the oldest first.
SELECT deal.*, NULL::text AS holder_now FROM deal WHERE stage = 'settling' ORDER BY id
