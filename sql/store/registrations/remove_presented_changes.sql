-- Only those that were seen: what was added meanwhile waits for the next pass.
DELETE FROM presented_change WHERE change_id = ANY(%(change_ids)s::uuid[])
