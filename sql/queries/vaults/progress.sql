-- What was given to and paid from a vault, as of the last published block.
SELECT
    toString(sumIf(given_raw, kind IN ('swapped', 'redeemed'))) AS given,
    toString(sumIf(paid_raw, kind IN ('swapped', 'redeemed'))) AS paid,
    toString(sumIf(paid_raw, kind = 'closed')) AS returned,
    uniqExactIf(account, kind IN ('swapped', 'redeemed')) AS accounts,
    (SELECT max(block_number) FROM published_chain WHERE chain_id = {chain_id:UInt32}) AS as_of_block
FROM published_fact_vault_event
WHERE chain_id = {chain_id:UInt32} AND vault_id = unhex({vault_id:String}) AND vaults = unhex({vaults:String})
