-- What became of a broadcast for each recipient and channel, largest holders first.
SELECT recipient.position, recipient.wallet, recipient.held_out, result.channel, result.status, result.problem
FROM broadcast_recipient AS recipient
LEFT JOIN LATERAL (
    SELECT 'inapp' AS channel, 'delivered' AS status, NULL AS problem
    FROM inbox_entry WHERE message_id = recipient.broadcast_id AND account_id = recipient.account_id
    UNION ALL
    SELECT channel, status, problem FROM broadcast_delivery
    WHERE broadcast_id = recipient.broadcast_id AND account_id = recipient.account_id
) AS result ON true
WHERE recipient.broadcast_id = %(id)s AND recipient.position > %(after)s AND recipient.position <= %(through)s
ORDER BY recipient.position, result.channel
