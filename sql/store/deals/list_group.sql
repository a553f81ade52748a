-- The deals of a group, locked in one order, so that simultaneous moves of its members wait for each other.
SELECT deal.*, NULL::text AS holder_now FROM deal WHERE group_id = %(group_id)s ORDER BY id FOR UPDATE
