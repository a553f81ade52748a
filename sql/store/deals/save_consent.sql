UPDATE deal SET
    consent_nonce = %(nonce)s, consent_deadline = %(deadline)s, consent_signature = %(signature)s, updated_at = now()
WHERE id = %(id)s
