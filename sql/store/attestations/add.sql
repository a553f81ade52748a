-- The same statement made again leaves the one there is.
INSERT INTO registration_attestation (chain_id, token_id, kind, statement)
VALUES (%(chain_id)s, %(token_id)s, %(kind)s, %(statement)s)
ON CONFLICT DO NOTHING
