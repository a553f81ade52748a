-- Encrypted anew, where it is still what was read.
UPDATE webhook_secret SET sealed = given.sealed
FROM unnest(
    CAST(%(ids)s AS uuid[]), CAST(%(old)s AS bytea[]), CAST(%(new)s AS bytea[])
) AS given (id, old, sealed)
WHERE webhook_secret.id = given.id AND webhook_secret.sealed = given.old
