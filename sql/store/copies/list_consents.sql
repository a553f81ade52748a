-- Migrations to these tokens that the controller of the senior token has agreed to.
SELECT senior_address, address
FROM copy_migration_consent
WHERE chain_id = %(chain_id)s AND address = ANY(%(addresses)s)
