INSERT INTO check_override (check_name, reason, ends_at)
VALUES (%(check_name)s, %(reason)s, now() + %(hours)s * interval '1 hour')
ON CONFLICT (check_name) DO UPDATE SET reason = excluded.reason, given_at = now(), ends_at = excluded.ends_at
RETURNING ends_at
