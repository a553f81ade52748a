-- Only those that were read: changes added meanwhile wait for the next refresh run.
DELETE FROM presented_change WHERE change_id = ANY(%(change_ids)s::uuid[])
