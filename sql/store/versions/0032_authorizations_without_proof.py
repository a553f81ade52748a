"""Authorisations without a proof: a claimer on Solana signs nothing but the transaction. Their nonces are times, which
only need to differ for one symbol and wallet."""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Allow them, and find those of a symbol."""
    op.execute("ALTER TABLE claim_authorization ALTER COLUMN proof_hash DROP NOT NULL")
    op.execute("ALTER TABLE claim_authorization DROP CONSTRAINT claim_authorization_chain_id_nonce_key")
    op.execute("ALTER TABLE claim_authorization ADD UNIQUE (chain_id, symbol, wallet, nonce)")
    op.execute("CREATE INDEX claim_authorization_by_symbol ON claim_authorization (chain_id, symbol, deadline)")


def downgrade() -> None:
    """Demand a proof again; authorisations without one are removed."""
    op.execute("DROP INDEX claim_authorization_by_symbol")
    op.execute("ALTER TABLE claim_authorization DROP CONSTRAINT claim_authorization_chain_id_symbol_wallet_nonce_key")
    op.execute("DELETE FROM claim_authorization WHERE proof_hash IS NULL")
    op.execute("ALTER TABLE claim_authorization ALTER COLUMN proof_hash SET NOT NULL")
    op.execute("ALTER TABLE claim_authorization ADD UNIQUE (chain_id, nonce)")
