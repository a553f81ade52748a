-- Whether an indexed token is judged a copy, by which rule and of what.
SELECT is_copy, copy_rule, copy_of_chain_id, copy_of_address
FROM indexed_token
WHERE chain_id = %(chain_id)s AND address = %(address)s
