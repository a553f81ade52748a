"""What the operator attests of registrations."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.execute(
        """
        CREATE TABLE registration_attestation (
            id uuid PRIMARY KEY DEFAULT uuidv7(),
            chain_id bigint NOT NULL,
            token_id bigint NOT NULL,
            kind text NOT NULL,
            statement text NOT NULL,
            created_at timestamptz NOT NULL DEFAULT now(),
            withdrawn_at timestamptz
        )
        """
    )
    # The same statement stands once, however often it is made.
    op.execute(
        "CREATE UNIQUE INDEX registration_attestation_standing"
        " ON registration_attestation (chain_id, token_id, kind, statement) WHERE withdrawn_at IS NULL"
    )


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE registration_attestation")
