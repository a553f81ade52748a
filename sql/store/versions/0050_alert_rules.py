"""Alert rules: what users watch on a token."""

from alembic import op

revision = "0050"
down_revision = "0041"
branch_labels = None
depends_on = None

STATEMENTS = (
    # revision: counts the changes by its owner. place: see the view.
    """
    CREATE TABLE alert_rule (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        account_id uuid NOT NULL REFERENCES account (id),
        wallet text NOT NULL,
        chain_id bigint NOT NULL,
        token_address text NOT NULL,
        symbol text NOT NULL,
        alert_type text NOT NULL,
        operator text NOT NULL CHECK (operator IN ('gt', 'lt', 'pct_drop', 'pct_spike')),
        threshold numeric NOT NULL CHECK (threshold > 0),
        window_minutes integer NOT NULL CHECK (window_minutes >= 5),
        cooldown_minutes integer NOT NULL CHECK (cooldown_minutes >= 5),
        enabled boolean NOT NULL,
        revision integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    "CREATE INDEX alert_rule_by_account ON alert_rule (account_id, created_at, id)",
    # A plan covers an account's oldest enabled rules, up to its number: place says how many come before, and itself.
    """
    CREATE VIEW alert_rule_place AS
    SELECT
        alert_rule.*,
        row_number() OVER (PARTITION BY account_id, enabled ORDER BY created_at, id) AS place
    FROM alert_rule
    """,
)


def upgrade() -> None:
    """Make the table and its view."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP VIEW alert_rule_place")
    op.execute("DROP TABLE alert_rule")
