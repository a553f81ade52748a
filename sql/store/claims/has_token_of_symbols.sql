-- Whether any token of these symbols is indexed on the chain.
SELECT EXISTS (
    SELECT FROM indexed_token WHERE chain_id = %(chain_id)s AND symbol_key = ANY(%(symbols)s)
) AS found
