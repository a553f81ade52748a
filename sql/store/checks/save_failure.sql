INSERT INTO check_failure (check_name, chain_id, part, violations, example, stops)
VALUES (%(check_name)s, %(chain_id)s, %(part)s, %(violations)s, %(example)s, %(stops)s)
ON CONFLICT (check_name, chain_id, part) DO UPDATE SET
    violations = excluded.violations, example = excluded.example, stops = excluded.stops,
    seen_at = now()
