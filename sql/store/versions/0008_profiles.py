"""What owners say of a registration through the service, beside the document behind its CID."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE registration ADD COLUMN profile jsonb NOT NULL DEFAULT '{}'",
    "ALTER TABLE registration ADD CONSTRAINT registration_profile_check CHECK (jsonb_typeof(profile) = 'object')",
    # What is shown: the document behind the CID, with the profile laid over it.
    """
    ALTER TABLE registration ADD COLUMN presented jsonb NOT NULL GENERATED ALWAYS AS (
        CASE WHEN jsonb_typeof(metadata) = 'object' THEN metadata ELSE '{}'::jsonb END || profile
    ) STORED
    """,
)


def upgrade() -> None:
    """Add the columns."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE registration DROP COLUMN presented")
    op.execute("ALTER TABLE registration DROP COLUMN profile")
