"""Alerts: what the evaluation knows of each rule, the alerts that rules raised, and how far each chain is judged."""

from alembic import op

revision = "0051"
down_revision = "0050"
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
    # judged: an evaluation has looked at it since it was last changed. fired: it has fired in the present breach.
    """
    ALTER TABLE alert_rule
        ADD COLUMN judged boolean NOT NULL DEFAULT false,
        ADD COLUMN fired boolean NOT NULL DEFAULT false,
        ADD COLUMN last_fired_at timestamptz
    """,
    "DROP VIEW alert_rule_place",
    _PLACES,
    # A copy of what the rule said: the rule may be changed or deleted later. earlier_value: what a change is measured
    # from.
    """
    CREATE TABLE alert_instance (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        rule_id uuid NOT NULL,
        account_id uuid NOT NULL REFERENCES account (id),
        wallet text NOT NULL,
        chain_id bigint NOT NULL,
        token_address text NOT NULL,
        symbol text NOT NULL,
        alert_type text NOT NULL,
        operator text NOT NULL,
        threshold numeric NOT NULL,
        window_minutes integer NOT NULL,
        severity text NOT NULL,
        metric_value double precision NOT NULL,
        read_at timestamptz NOT NULL,
        earlier_value double precision,
        earlier_read_at timestamptz,
        triggered_at timestamptz NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'acknowledged', 'resolved')),
        acknowledged_at timestamptz,
        resolved_at timestamptz,
        resolved_reason text CHECK (resolved_reason IN ('manual', 'auto_recovered')),
        CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
        CHECK ((resolved_at IS NULL) = (resolved_reason IS NULL))
    )
    """,
    # A rule has one alert at a time that is not resolved.
    "CREATE UNIQUE INDEX alert_instance_open ON alert_instance (rule_id) WHERE status <> 'resolved'",
    "CREATE INDEX alert_instance_by_account ON alert_instance (account_id, triggered_at DESC, id DESC)",
    # judged_through: the last moment whose readings were judged.
    """
    CREATE TABLE alert_progress (
        chain_id bigint NOT NULL,
        source text NOT NULL,
        judged_through timestamptz NOT NULL,
        evaluated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain_id, source)
    )
    """,
)


def upgrade() -> None:
    """Add the columns and tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE alert_instance, alert_progress")
    op.execute("DROP VIEW alert_rule_place")
    op.execute("ALTER TABLE alert_rule DROP COLUMN judged, DROP COLUMN fired, DROP COLUMN last_fired_at")
    op.execute(_PLACES)
