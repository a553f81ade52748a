-- Record attempts. An attempt whose lease has ended changes nothing.
WITH result AS (
    SELECT * FROM jsonb_to_recordset(CAST(%(results)s AS jsonb)) AS r (
        delivery_id uuid, lease uuid, verdict text, due_at timestamptz, finished_at timestamptz, url text,
        request_headers jsonb, status integer, response_headers jsonb, response_body text, response_complete boolean,
        failure text, problem text, dns_seconds double precision, connect_seconds double precision,
        answer_seconds double precision, total_seconds double precision, started_at timestamptz)
), held AS (
    UPDATE webhook_delivery AS d
    SET status = r.verdict, attempts = d.attempts + 1, due_at = coalesce(r.due_at, d.due_at),
        finished_at = r.finished_at, lease = NULL
    FROM result AS r WHERE d.id = r.delivery_id AND d.lease = r.lease AND d.status = 'pending'
    RETURNING d.id, d.attempts
)
INSERT INTO webhook_attempt (
    delivery_id, number, url, request_headers, status, response_headers, response_body, response_complete, failure,
    problem, dns_seconds, connect_seconds, answer_seconds, total_seconds, started_at)
SELECT held.id, held.attempts, r.url, r.request_headers, r.status, r.response_headers, r.response_body,
    r.response_complete, r.failure, r.problem, r.dns_seconds, r.connect_seconds, r.answer_seconds, r.total_seconds,
    r.started_at
FROM held JOIN result AS r ON r.delivery_id = held.id
RETURNING delivery_id
