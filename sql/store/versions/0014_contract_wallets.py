"""How a wallet proved itself, and the chain on which a contract wallet did."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

STATEMENTS = (
    # proved_at null: named by an operator, and never signed. chain_id: where the contract at the address answered for
    # the first signature; null beside proved_at: a key signed. Wallets of before did not say how they signed, so that
    # their next sign-in says it.
    """
    ALTER TABLE account_wallet
        ADD COLUMN proved_at timestamptz,
        ADD COLUMN chain_id bigint,
        ADD CONSTRAINT account_wallet_chain_check CHECK (chain_id IS NULL OR proved_at IS NOT NULL)
    """,
    # The chain by wallet, of those wallets of a session whose signature a contract answered for.
    "ALTER TABLE wallet_session ADD COLUMN contract_chains jsonb NOT NULL DEFAULT '{}'",
    # Nothing says where those wallets signed whose sessions stand: they sign in again.
    """
    UPDATE wallet_session SET revoked_at = now()
    WHERE revoked_at IS NULL AND EXISTS (SELECT FROM unnest(wallets) AS wallet WHERE wallet LIKE '0x%')
    """,
)


def upgrade() -> None:
    """Add the columns."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE wallet_session DROP COLUMN contract_chains")
    op.execute("ALTER TABLE account_wallet DROP CONSTRAINT account_wallet_chain_check")
    for column in ("chain_id", "proved_at"):
        op.execute(f"ALTER TABLE account_wallet DROP COLUMN {column}")
