UPDATE contact SET code_mac = %(code_mac)s, code_ends_at = %(ends_at)s, code_tries = 0
WHERE id = %(id)s AND confirmed_at IS NULL
RETURNING channel, sealed
