-- Put another transaction in the place of a settlement's, and forget what was signed of the former. Compare-and-set: no
-- row where it was replaced meanwhile, or the deal has moved.
UPDATE deal SET
    settlement_call = %(call)s::jsonb, consent_nonce = NULL, consent_deadline = NULL, consent_signature = NULL,
    updated_at = now()
WHERE id = %(id)s AND stage = 'settling' AND settlement_call = %(before)s::jsonb
RETURNING id
