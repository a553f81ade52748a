-- The end of a stopped challenge is to be announced anew, under another nonce.
UPDATE registration_challenge SET announcements = announcements + 1, stop_seen_at = NULL, updated_at = now()
WHERE id = %(id)s AND state = 'stopped'
RETURNING announcements
