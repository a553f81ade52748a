-- Encrypted anew, where it is still what was read.
UPDATE community_room SET sealed = given.sealed
FROM unnest(
    CAST(%(ids)s AS uuid[]), CAST(%(old)s AS bytea[]), CAST(%(new)s AS bytea[])
) AS given (id, old, sealed)
WHERE community_room.id = given.id AND community_room.sealed = given.old
