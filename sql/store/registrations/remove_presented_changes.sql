-- Remove only the changes that were read: later ones wait for the next refresh run.
DELETE FROM presented_change WHERE change_id = ANY(%(change_ids)s::uuid[])
