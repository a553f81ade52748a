"""The audit log of accounts: what was done to their keys, sessions, wallets and plans."""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

STATEMENTS = (
    # actor: session, operator or service; wallet and session_id: of the session. key_id: the key that it is about.
    # data: the event's data, which never holds a secret.
    """
    CREATE TABLE account_audit (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        account_id uuid NOT NULL REFERENCES account (id),
        action text NOT NULL,
        actor text NOT NULL CHECK (actor IN ('session', 'operator', 'service')),
        wallet text,
        session_id uuid,
        address inet,
        key_id uuid,
        data jsonb NOT NULL,
        created_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX account_audit_by_account ON account_audit (account_id, id)",
    "CREATE INDEX account_audit_by_time ON account_audit (created_at)",
    # Append-only: a row is not changed, and is removed only when it is old. The shortest retention is 30 days.
    """
    CREATE FUNCTION keep_account_audit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'UPDATE' OR OLD.created_at > now() - interval '30 days' THEN
            RAISE EXCEPTION 'account_audit is append-only';
        END IF;
        RETURN OLD;
    END
    $$
    """,
    """
    CREATE TRIGGER account_audit_is_kept BEFORE UPDATE OR DELETE ON account_audit
    FOR EACH ROW EXECUTE FUNCTION keep_account_audit()
    """,
)


def upgrade() -> None:
    """Make the table."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE account_audit")
    op.execute("DROP FUNCTION keep_account_audit")
