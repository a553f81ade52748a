-- Whether a wallet sold a registration: it held it, or one before it, and settled a deal.
WITH RECURSIVE sold AS (
    SELECT chain_id, token_id, owner
    FROM registration
    WHERE chain_id = %(chain_id)s AND settled_token_id = %(token_id)s
    UNION ALL
    SELECT registration.chain_id, registration.token_id, registration.owner
    FROM registration
    JOIN sold ON registration.chain_id = sold.chain_id AND registration.settled_token_id = sold.token_id
)
SELECT token_id FROM sold WHERE owner = %(wallet)s LIMIT 1
