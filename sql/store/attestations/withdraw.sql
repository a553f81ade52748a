-- The time of the first withdrawal stays.
UPDATE registration_attestation SET withdrawn_at = coalesce(withdrawn_at, now()) WHERE id = %(id)s RETURNING id
