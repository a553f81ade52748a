"""Look standing registrations up by chain and symbol: one by one for a status, by thousands for a claimable list."""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.execute(
        "CREATE INDEX registration_standing ON registration (chain_id, symbol)"
        " WHERE released_at IS NULL AND expired_at IS NULL"
    )


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP INDEX registration_standing")
