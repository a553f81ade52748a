"""Vaults of deals: the terms of the swap of a merge, or of the redemption of a buyout with its snapshot of holders."""

from alembic import op

revision = "0070"
down_revision = "0061"
branch_labels = None
depends_on = None

STATEMENTS = (
    # snapshot_nodes: all hashes of the Merkle tree, the root first, 32 bytes each.
    """
    CREATE TABLE deal_vault (
        deal_id uuid PRIMARY KEY REFERENCES deal (id),
        kind text NOT NULL CHECK (kind IN ('swap', 'redemption')),
        vault_id text NOT NULL,
        terms jsonb NOT NULL,
        signature text,
        snapshot_accounts integer,
        snapshot_nodes bytea,
        made_at timestamptz NOT NULL,
        CHECK ((kind = 'redemption') = (signature IS NOT NULL)),
        CHECK ((kind = 'redemption') = (snapshot_nodes IS NOT NULL)),
        CHECK ((kind = 'redemption') = (snapshot_accounts IS NOT NULL))
    )
    """,
    # A proof is a few pieces of the nodes: kept uncompressed, they are read without the rest.
    "ALTER TABLE deal_vault ALTER COLUMN snapshot_nodes SET STORAGE EXTERNAL",
    # place: of the leaf among the nodes.
    """
    CREATE TABLE deal_snapshot (
        deal_id uuid NOT NULL REFERENCES deal_vault (deal_id) ON DELETE CASCADE,
        account text NOT NULL,
        held_raw numeric(78,0) NOT NULL,
        place integer NOT NULL,
        PRIMARY KEY (deal_id, account)
    )
    """,
    "CREATE INDEX deal_migrating ON deal (id) WHERE stage = 'swap_window'",
)


def upgrade() -> None:
    """Add the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP INDEX deal_migrating")
    op.execute("DROP TABLE deal_snapshot, deal_vault")
