"""Broadcasts for holder groups: the rules of the groups, as they were when the broadcast was accepted."""

from alembic import op

revision = "0085"
down_revision = "0081"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE broadcast ADD COLUMN holder_groups jsonb NOT NULL DEFAULT '[]'")


def downgrade() -> None:
    """Drop the column."""
    op.execute("ALTER TABLE broadcast DROP COLUMN holder_groups")
