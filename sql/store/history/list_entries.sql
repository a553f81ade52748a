-- A registration's history after a given entry, in order, with its head as of the same moment. One row without an entry
-- if there are none after it.
SELECT
    head.sequence AS head_sequence, head.hash AS head_hash,
    entry.sequence, entry.type, entry.at, entry.data, entry.previous_hash, entry.hash
FROM registration_history_head AS head
LEFT JOIN LATERAL (
    SELECT *
    FROM registration_history AS known
    WHERE known.chain_id = head.chain_id AND known.token_id = head.token_id AND known.sequence > %(after)s
    ORDER BY known.sequence
    LIMIT %(limit)s
) AS entry ON true
WHERE head.chain_id = %(chain_id)s AND head.token_id = %(token_id)s
ORDER BY entry.sequence
