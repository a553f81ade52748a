-- Whether the end of a deal's registration is announced, or an upheld challenge is about to announce it.
SELECT
    pending_end IS NOT NULL OR EXISTS (
        SELECT
        FROM registration_challenge AS challenge
        WHERE challenge.chain_id = registration.chain_id AND challenge.token_id = registration.token_id
          AND state IN ('upheld', 'withdrawing')
    ) AS is_ending
FROM registration
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND transaction_hash = %(mint_transaction)s
  AND released_at IS NULL AND expired_at IS NULL
