-- One request after another adds rules to an account: the one that holds the row counts and adds. No row: another
-- request holds it.
SELECT id, plan FROM account WHERE id = %(account_id)s FOR NO KEY UPDATE SKIP LOCKED
