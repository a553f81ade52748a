-- Lock the account's row: processes that create keys of one account at the same time wait here, so each counts the
-- others' keys.
SELECT plan FROM account WHERE id = %(account_id)s FOR UPDATE
