SELECT id, channel, sealed, fingerprint, confirmed_at, code_mac, code_ends_at, code_tries
FROM contact WHERE account_id = %(account_id)s AND channel = %(channel)s
FOR UPDATE
