"""What is presented of a registration changed: its token waits here until the pipelines ask for its document."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

STATEMENTS = (
    # Rows are only added and removed, never changed: whoever writes waits for nobody, and what is added while the
    # pipelines look is not removed by them, who name each row that they have seen.
    """
    CREATE TABLE presented_change (
        change_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        chain_id bigint NOT NULL,
        token_address text NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    "CREATE INDEX presented_change_by_chain ON presented_change (chain_id, changed_at)",
    """
    CREATE FUNCTION note_presented_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO presented_change (chain_id, token_address) VALUES (NEW.chain_id, NEW.token_address);
        RETURN NULL;
    END
    $$
    """,
    # Whatever changed it, the owner's profile or a document that was found, in the transaction that did.
    """
    CREATE TRIGGER registration_presents_otherwise AFTER UPDATE OF profile, metadata ON registration FOR EACH ROW
    WHEN (OLD.presented IS DISTINCT FROM NEW.presented) EXECUTE FUNCTION note_presented_change()
    """,
    # Documents were made without profiles until now.
    """
    INSERT INTO presented_change (chain_id, token_address)
    SELECT DISTINCT chain_id, token_address FROM registration WHERE presented <> '{}'
    """,
)


def upgrade() -> None:
    """Make the queue, and fill it with what there is."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TRIGGER registration_presents_otherwise ON registration")
    op.execute("DROP FUNCTION note_presented_change()")
    op.execute("DROP TABLE presented_change")
