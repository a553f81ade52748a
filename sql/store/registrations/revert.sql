DELETE FROM registration
WHERE chain_id = %(chain_id)s AND token_id = ANY(%(token_ids)s::bigint[]) AND NOT is_final
