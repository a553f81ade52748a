"""The figures that copy verdicts rest on, by token, and as of when the verdicts of a chain hold."""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_COLUMNS = {
    "copy_unknown": "text",
    "copy_until": "timestamptz",
    "deployed_block": "bigint",
    "deployed_index": "integer",
    "weight_usd": "numeric(38, 6)",
    "established_usd": "numeric(38, 6)",
    "senior_since": "timestamptz",
    "senior_block": "bigint",
}


def upgrade() -> None:
    """Add them. Identities are derived again, since a token's place within its block was not kept."""
    op.execute("ALTER TABLE indexed_token " + ", ".join(f"ADD COLUMN {name} {kind}" for name, kind in _COLUMNS.items()))
    op.execute(
        """
        CREATE TABLE copy_progress (
            chain_id bigint PRIMARY KEY,
            as_of_block bigint NOT NULL,
            as_of_time timestamptz NOT NULL,
            weighed_through timestamptz,
            weighed_block bigint,
            history_from timestamptz
        )
        """
    )
    op.execute("DELETE FROM derive_checkpoint WHERE subject = 'tokens'")


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE copy_progress")
    op.execute("ALTER TABLE indexed_token " + ", ".join(f"DROP COLUMN {name}" for name in _COLUMNS))
