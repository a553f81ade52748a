-- Challenges that are not settled: to be decided, announced or executed; and those that an operator rejected after the
-- end was announced, whose announcement is withdrawn.
SELECT *
FROM registration_challenge
WHERE state IN ('open', 'undecided', 'upheld', 'withdrawing')
ORDER BY opened_at, id
