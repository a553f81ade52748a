-- Encrypted anew, where it is still what was read.
UPDATE contact SET sealed = given.sealed, fingerprint = given.fingerprint
FROM unnest(
    CAST(%(ids)s AS uuid[]), CAST(%(old)s AS bytea[]), CAST(%(new)s AS bytea[]), CAST(%(fingerprints)s AS bytea[])
) AS given (id, old, sealed, fingerprint)
WHERE contact.id = given.id AND contact.sealed = given.old
