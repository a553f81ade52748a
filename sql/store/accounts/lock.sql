-- Whoever makes keys of one account at the same time waits here, so that none is counted by neither.
SELECT plan FROM account WHERE id = %(account_id)s FOR UPDATE
