INSERT INTO broadcast_recipient (broadcast_id, position, account_id, subscription_id, wallet, balance_raw, held_out)
SELECT %(id)s, found.position, found.account_id, found.subscription_id, found.wallet, found.balance_raw, found.held_out
FROM unnest(
    CAST(%(account_ids)s AS uuid[]), CAST(%(subscription_ids)s AS uuid[]), CAST(%(wallets)s AS text[]),
    CAST(%(balances)s AS numeric[]), CAST(%(held_out)s AS boolean[])
) WITH ORDINALITY AS found (account_id, subscription_id, wallet, balance_raw, held_out, position)
