SELECT
    number, url, request_headers, status, response_headers, response_body, response_complete, failure, problem,
    dns_seconds, connect_seconds, answer_seconds, total_seconds, started_at
FROM webhook_attempt WHERE delivery_id = %(delivery_id)s ORDER BY number
