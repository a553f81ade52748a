"""Usage: what keys and sessions used of their daily quotas and rates; news of plans and keys."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

STATEMENTS = (
    # subject: the key, or the account for what its sessions ask. told: the highest percentage that an event tells of.
    # Rows change with almost every request, so that pages have room for new versions of them.
    """
    CREATE TABLE api_usage (
        subject uuid NOT NULL,
        day date NOT NULL,
        account_id uuid NOT NULL REFERENCES account (id),
        used bigint NOT NULL CHECK (used >= 0),
        per_day bigint NOT NULL,
        told smallint NOT NULL DEFAULT 0,
        PRIMARY KEY (subject, day)
    ) WITH (fillfactor = 50)
    """,
    "CREATE INDEX api_usage_by_account ON api_usage (account_id, day)",
    # The last count that each API process wrote down, so that one whose answer was lost is not written again.
    """
    CREATE TABLE usage_writer (
        process uuid PRIMARY KEY,
        number bigint NOT NULL,
        written_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    # Of the shared limiter alone. Not worth keeping over a crash of the server: full buckets are handed out then.
    """
    CREATE UNLOGGED TABLE rate_bucket (
        subject uuid PRIMARY KEY,
        tokens double precision NOT NULL,
        counted_at timestamptz NOT NULL,
        granted integer NOT NULL
    ) WITH (fillfactor = 50)
    """,
    """
    CREATE UNLOGGED TABLE address_window (
        address text NOT NULL,
        kind text NOT NULL,
        began_at timestamptz NOT NULL,
        used integer NOT NULL,
        PRIMARY KEY (address, kind)
    ) WITH (fillfactor = 50)
    """,
    # API processes remember keys and plans for some seconds; they listen, so that a change counts at once.
    """
    CREATE FUNCTION tell_access() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_notify('access', '');
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE TRIGGER account_tells_plan AFTER UPDATE OF plan ON account
    FOR EACH ROW WHEN (OLD.plan IS DISTINCT FROM NEW.plan) EXECUTE FUNCTION tell_access()
    """,
    """
    CREATE TRIGGER api_key_tells_revocation AFTER UPDATE OF revoked_at ON api_key
    FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION tell_access()
    """,
)


def upgrade() -> None:
    """Make the tables and triggers."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER api_key_tells_revocation ON api_key")
    op.execute("DROP TRIGGER account_tells_plan ON account")
    op.execute("DROP FUNCTION tell_access")
    for table in ("address_window", "rate_bucket", "usage_writer", "api_usage"):
        op.execute(f"DROP TABLE {table}")
