"""Settlements of deals: the holder's consent, the service's authorisation, and the transaction that used both."""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. settlement_call is what the offerer sends. market_cap_usd and minted_at: of the registered token
    and its registration, when the offer was made; comparisons of prices need them."""
    op.execute(
        """
        ALTER TABLE deal
            ADD COLUMN consent_nonce numeric(78,0),
            ADD COLUMN consent_deadline timestamptz,
            ADD COLUMN consent_signature text,
            ADD COLUMN authorized_until timestamptz,
            ADD COLUMN settlement_call jsonb,
            ADD COLUMN settlement_hash text,
            ADD COLUMN market_cap_usd numeric,
            ADD COLUMN minted_at timestamptz,
            ADD CHECK ((consent_nonce IS NULL) = (consent_signature IS NULL)),
            ADD CHECK (stage <> 'settling' OR authorized_until IS NOT NULL)
        """
    )
    op.execute("CREATE INDEX deal_settling ON deal (id) WHERE stage = 'settling'")
    op.execute("CREATE INDEX deal_completed ON deal (market_cap_usd) WHERE status = 'completed'")


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP INDEX deal_settling, deal_completed")
    op.execute(
        "ALTER TABLE deal DROP COLUMN consent_nonce, DROP COLUMN consent_deadline, DROP COLUMN consent_signature,"
        " DROP COLUMN authorized_until, DROP COLUMN settlement_call, DROP COLUMN settlement_hash,"
        " DROP COLUMN market_cap_usd, DROP COLUMN minted_at"
    )
