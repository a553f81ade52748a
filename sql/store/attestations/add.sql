-- An identical statement changes nothing.
INSERT INTO registration_attestation (chain_id, token_id, kind, statement)
VALUES (%(chain_id)s, %(token_id)s, %(kind)s, %(statement)s)
ON CONFLICT DO NOTHING
