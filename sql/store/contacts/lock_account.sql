-- One request after another of an account changes its contacts.
SELECT pg_advisory_xact_lock(hashtextextended('contact:' || %(account_id)s::text, 0))
