"""Alembic's environment for the store. Run by ``warehouse.migrate``, which hands over an open connection."""

from alembic import context

# The tables of the job queue and of the scheduler live in schemas of their own and are not ours to migrate.
context.configure(connection=context.config.attributes["connection"], transaction_per_migration=False)
with context.begin_transaction():
    context.run_migrations()
