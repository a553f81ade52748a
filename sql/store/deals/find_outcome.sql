-- What became of a deal's registration: how and when it ended, and the registration that a settlement made of it.
-- is_replaced: a reorganisation put another mint, which is final, under its id.
SELECT
    registration.end_reason, coalesce(registration.released_at, registration.expired_at) AS ended_at,
    made.owner AS new_owner, made.transaction_hash AS new_transaction, coalesce(made.is_final, false) AS is_final,
    made.minted_at AS settled_at,
    registration.transaction_hash <> %(mint_transaction)s AND registration.is_final AS is_replaced
FROM registration
LEFT JOIN registration AS made
    ON made.chain_id = registration.chain_id AND made.token_id = registration.settled_token_id
WHERE registration.chain_id = %(chain_id)s AND registration.token_id = %(token_id)s
  AND (registration.transaction_hash = %(mint_transaction)s OR registration.is_final)
