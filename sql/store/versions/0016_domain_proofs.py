"""When a domain's proof is looked at again, how often it was missing, and which domains bear the badge."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    ALTER TABLE registration_domain
        ADD COLUMN check_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN absences integer NOT NULL DEFAULT 0,
        ADD COLUMN lost_at timestamptz,
        ADD COLUMN badge boolean NOT NULL DEFAULT true,
        ADD CONSTRAINT registration_domain_embed_check CHECK (badge OR NOT embeds)
    """,
    "DROP INDEX registration_domain_to_check",
    "CREATE INDEX registration_domain_to_check ON registration_domain (check_at) WHERE verified_at IS NOT NULL",
)


def upgrade() -> None:
    """Add the columns."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP INDEX registration_domain_to_check")
    op.execute(
        "CREATE INDEX registration_domain_to_check ON registration_domain (checked_at) WHERE verified_at IS NOT NULL"
    )
    op.execute("ALTER TABLE registration_domain DROP CONSTRAINT registration_domain_embed_check")
    for column in ("badge", "lost_at", "absences", "check_at"):
        op.execute(f"ALTER TABLE registration_domain DROP COLUMN {column}")
