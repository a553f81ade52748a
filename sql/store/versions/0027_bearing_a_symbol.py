"""Since when a token has borne its symbol."""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it. Identities are derived again."""
    op.execute("ALTER TABLE indexed_token ADD COLUMN named_at timestamptz")
    op.execute("DELETE FROM derive_checkpoint WHERE subject = 'tokens'")


def downgrade() -> None:
    """Remove it."""
    op.execute("ALTER TABLE indexed_token DROP COLUMN named_at")
