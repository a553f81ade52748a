"""Messages about alerts: over which channels a rule tells its owner, and what is sent over vendors' channels."""

from alembic import op

revision = "0080"
down_revision = "0070"
branch_labels = None
depends_on = None

_PLACES = """
    CREATE VIEW alert_rule_place AS
    SELECT
        alert_rule.*,
        row_number() OVER (PARTITION BY account_id, enabled ORDER BY created_at, id) AS place
    FROM alert_rule
"""
STATEMENTS = (
    "ALTER TABLE alert_rule ADD COLUMN channels text[] NOT NULL DEFAULT '{inapp}' CHECK (cardinality(channels) > 0)",
    "DROP VIEW alert_rule_place",
    _PLACES,
    """
    CREATE TABLE alert_message (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        rule_id uuid NOT NULL,
        account_id uuid NOT NULL REFERENCES account (id),
        message_id uuid NOT NULL REFERENCES inbox_message (id) ON DELETE CASCADE,
        channel text NOT NULL,
        status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'exhausted', 'skipped')),
        due_at timestamptz NOT NULL,
        lease uuid,
        attempts integer NOT NULL DEFAULT 0,
        problem text,
        finished_at timestamptz,
        UNIQUE (message_id, channel)
    )
    """,
    "CREATE INDEX alert_message_due ON alert_message (channel, due_at, id) WHERE status = 'pending'",
)


def upgrade() -> None:
    """Add the column and the table."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE alert_message")
    op.execute("DROP VIEW alert_rule_place")
    op.execute("ALTER TABLE alert_rule DROP COLUMN channels")
    op.execute(_PLACES)
