"""When the guardian confirmed an announced end that its owner objected to."""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE registration ADD COLUMN pending_end_confirmed_at timestamptz")


def downgrade() -> None:
    """Remove it."""
    op.execute("ALTER TABLE registration DROP COLUMN pending_end_confirmed_at")
