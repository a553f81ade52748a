-- Challenges for the operator, newest first; of one state or of all.
SELECT *
FROM registration_challenge
WHERE %(state)s::text IS NULL OR state = %(state)s
ORDER BY opened_at DESC, id
LIMIT 200
