-- One request after another asks for a code to an address.
SELECT pg_advisory_xact_lock(hashtextextended('contact address:' || encode(%(fingerprint)s, 'hex'), 0))
