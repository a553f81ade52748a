-- The price of a chain's native coin in US dollars.
SELECT price_usd, as_of_time FROM native_price WHERE chain_id = %(chain_id)s
