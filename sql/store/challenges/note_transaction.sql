-- The transactions that announced and executed the end; null leaves the one that is known.
UPDATE registration_challenge SET
    announced_transaction = coalesce(%(announced)s, announced_transaction),
    execution_transaction = coalesce(%(executed)s, execution_transaction), updated_at = now()
WHERE id = %(id)s
