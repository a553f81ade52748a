UPDATE alert_delivery SET status = 'given_up', finished_at = now(), last_error = coalesce(last_error, 'no receiver')
WHERE status = 'waiting' AND created_at < now() - make_interval(secs => %(seconds)s)
