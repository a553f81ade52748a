-- It is not sent, or it waits for the operator.
UPDATE broadcast SET status = %(status)s, status_reason = %(reason)s WHERE id = %(id)s
