"""What accounts uploaded as metadata, and the documents that registrations name and that are still looked for."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

STATEMENTS = (
    # stored_at: when the bytes were kept; null while they are about to be.
    """
    CREATE TABLE metadata_upload (
        account_id uuid NOT NULL REFERENCES account (id),
        cid text NOT NULL,
        media_type text NOT NULL,
        size_bytes bigint NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        stored_at timestamptz,
        PRIMARY KEY (account_id, cid)
    )
    """,
    "CREATE INDEX metadata_upload_by_cid ON metadata_upload (cid)",
    # The documents that are waited for.
    "CREATE INDEX registration_without_document ON registration (metadata_cid)"
    " WHERE metadata IS NULL AND metadata_cid <> ''",
    """
    CREATE TABLE metadata_search (
        cid text PRIMARY KEY,
        attempts integer NOT NULL,
        next_at timestamptz NOT NULL,
        problem text NOT NULL
    )
    """,
)


def upgrade() -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP INDEX registration_without_document")
    for table in ("metadata_search", "metadata_upload"):
        op.execute(f"DROP TABLE {table}")
