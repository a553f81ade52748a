-- Chains that have a token at this address.
SELECT chain_id FROM indexed_token WHERE address = %(address)s ORDER BY chain_id
