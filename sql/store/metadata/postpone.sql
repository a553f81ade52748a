INSERT INTO metadata_search (cid, attempts, next_at, problem) VALUES (%(cid)s, 1, %(next_at)s, %(problem)s)
ON CONFLICT (cid) DO UPDATE
SET attempts = metadata_search.attempts + 1, next_at = excluded.next_at, problem = excluded.problem
