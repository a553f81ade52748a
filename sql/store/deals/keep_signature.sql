-- Keep the holder's signature of a settlement's transaction. No row where there is another transaction by now.
UPDATE deal SET
    consent_nonce = 0, consent_deadline = authorized_until, consent_signature = %(signature)s, updated_at = now()
WHERE id = %(id)s AND stage = 'settling' AND settlement_call = %(call)s::jsonb
RETURNING id
