INSERT INTO native_price (chain_id, price_usd, source, liquidity_usd, as_of_block, as_of_time)
VALUES (%(chain_id)s, %(price_usd)s, %(source)s, %(liquidity_usd)s, %(as_of_block)s, %(as_of_time)s)
ON CONFLICT (chain_id) DO UPDATE SET
    price_usd = excluded.price_usd,
    source = excluded.source,
    liquidity_usd = excluded.liquidity_usd,
    as_of_block = excluded.as_of_block,
    as_of_time = excluded.as_of_time
WHERE native_price.as_of_block <> excluded.as_of_block OR native_price.price_usd <> excluded.price_usd
