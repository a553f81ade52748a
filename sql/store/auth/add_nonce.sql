-- Each new nonce deletes a few expired ones, so the table stays small without a cleanup job. Rows that another
-- transaction is deleting are skipped.
WITH ended AS (
    DELETE FROM sign_in_nonce WHERE nonce IN (
        SELECT nonce FROM sign_in_nonce WHERE expires_at < %(now)s ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO sign_in_nonce (nonce, expires_at) VALUES (%(nonce)s, %(expires_at)s)
