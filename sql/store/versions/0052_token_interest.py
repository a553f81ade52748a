"""Interest of wallets in tokens that nobody has registered."""

from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.execute(
        """
        CREATE TABLE token_interest (
            chain_id bigint NOT NULL,
            token_address text NOT NULL,
            wallet text NOT NULL,
            account_id uuid NOT NULL REFERENCES account (id),
            expressed_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (chain_id, token_address, wallet)
        )
        """
    )
    op.execute("CREATE INDEX token_interest_by_account ON token_interest (account_id, expressed_at)")


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE token_interest")
