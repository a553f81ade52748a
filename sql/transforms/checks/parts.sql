-- What statements that look at a part of a chain's tokens begin with: whether a token is between the bounds of the part,
-- and whether it is in the part, which may be only the tokens that changed.
WITH
    (token -> token >= unhex({from_token:String}) AND ({to_token:String} = '' OR token < unhex({to_token:String})))
        AS in_range,
    (token -> in_range(token) AND ({up_to:UInt64} = 0 OR token IN (
        SELECT key FROM fact_change
        WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
    ))) AS in_part
