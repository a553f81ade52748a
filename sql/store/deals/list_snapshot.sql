-- Who held how much at a snapshot, by account.
SELECT account, held_raw, place
FROM deal_snapshot
WHERE deal_id = %(id)s AND account > %(after)s
ORDER BY account
LIMIT %(limit)s
