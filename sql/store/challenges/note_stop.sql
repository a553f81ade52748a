-- When it was first seen that the announced end is gone (chain time); null: it is there.
UPDATE registration_challenge SET
    stop_seen_at = CASE WHEN %(seen_at)s::timestamptz IS NULL THEN NULL ELSE coalesce(stop_seen_at, %(seen_at)s) END
WHERE id = %(id)s
