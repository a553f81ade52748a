-- One request after another adds subscriptions to an account.
SELECT id FROM account WHERE id = %(account_id)s FOR NO KEY UPDATE
