-- Lock a broadcast for its next step, unless another worker made that step meanwhile.
SELECT id FROM broadcast
WHERE id = %(id)s AND status = %(status)s AND queued_through = %(queued_through)s
FOR UPDATE
