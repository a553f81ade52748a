-- What has ended is taken away where something new comes, a few rows each time, so that the table stays small without a
-- job of its own. Rows that another is taking away are left to it.
WITH ended AS (
    DELETE FROM sign_in_nonce WHERE nonce IN (
        SELECT nonce FROM sign_in_nonce WHERE expires_at < %(now)s ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO sign_in_nonce (nonce, expires_at) VALUES (%(nonce)s, %(expires_at)s)
