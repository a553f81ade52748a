"""Which attempts at keeping a content are under way: the room for it is given back when the last of them has failed."""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. What is about to be kept now is let go of when its time is over."""
    op.execute("ALTER TABLE metadata_upload ADD COLUMN attempts uuid[] NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    """Remove it."""
    op.execute("ALTER TABLE metadata_upload DROP COLUMN attempts")
