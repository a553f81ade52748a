-- Whether the index knows a token with a symbol at this address of a chain. A mint that was closed has none.
SELECT EXISTS (
  SELECT FROM indexed_token WHERE chain_id = %(chain_id)s AND address = %(address)s AND symbol_key <> ''
) AS found
