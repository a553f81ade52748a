-- Broadcasts that wait for the operator, oldest first.
SELECT b.id, b.chain_id, b.token_id, registration.symbol, b.wallet, b.title, b.body, b.link_url, b.image_url,
    b.channels, b.expected, b.created_at, b.due_at, b.status
FROM broadcast AS b
LEFT JOIN registration ON registration.chain_id = b.chain_id AND registration.token_id = b.token_id
WHERE b.status = 'review'
ORDER BY b.id
