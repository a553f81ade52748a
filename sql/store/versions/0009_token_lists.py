"""The token list: its versions, and since and until which of them each entry stood in it."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE token_list_version (
        version_id bigint PRIMARY KEY,
        major bigint NOT NULL,
        minor bigint NOT NULL,
        patch bigint NOT NULL,
        published_at timestamptz NOT NULL DEFAULT now(),
        tokens bigint NOT NULL,
        added bigint NOT NULL,
        changed bigint NOT NULL,
        removed bigint NOT NULL,
        UNIQUE (major, minor, patch)
    )
    """,
    # There is always a list, if an empty one.
    """
    INSERT INTO token_list_version (version_id, major, minor, patch, tokens, added, changed, removed)
    VALUES (1, 1, 0, 0, 0, 0, 0, 0)
    """,
    # An entry as it read from one version until (not including) another; null: it still does.
    """
    CREATE TABLE token_list_entry (
        chain_id bigint NOT NULL,
        address text NOT NULL,
        from_version bigint NOT NULL REFERENCES token_list_version (version_id),
        until_version bigint REFERENCES token_list_version (version_id),
        crown_id bigint NOT NULL,
        symbol text NOT NULL,
        name text NOT NULL,
        decimals bigint NOT NULL,
        logo_uri text,
        listed_since timestamptz NOT NULL,
        PRIMARY KEY (chain_id, address, from_version)
    )
    """,
    "CREATE UNIQUE INDEX token_list_entry_standing ON token_list_entry (chain_id, address) WHERE until_version IS NULL",
    "CREATE INDEX token_list_entry_by_end ON token_list_entry (until_version)",
    "CREATE INDEX token_list_entry_by_start ON token_list_entry (from_version)",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE token_list_entry")
    op.execute("DROP TABLE token_list_version")
