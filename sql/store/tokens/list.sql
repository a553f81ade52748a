SELECT address, symbol_key, precedence, is_copy, copy_of_chain_id, copy_of_address, copy_rule, score, timestamp_score,
       volume_score, holders_score, confidence_score, weights_version, scored_at, name, decimals, deployer, deployed_at
FROM indexed_token
WHERE chain_id = %(chain_id)s AND address = ANY(%(addresses)s)
