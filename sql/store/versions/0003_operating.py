"""What operators watch: counters of the processes, sums of each asset's runs, and alerts with their deliveries."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATEMENTS = (
    # Counters of processes that nobody can scrape, added up over all their lives. Chain 0: of no chain.
    """
    CREATE TABLE service_counter (
        name text NOT NULL,
        chain_id bigint NOT NULL DEFAULT 0,
        value bigint NOT NULL,
        PRIMARY KEY (name, chain_id)
    )
    """,
    # One row for each asset and chain, kept beside every row of asset_run. Chain 0: all chains.
    """
    CREATE TABLE asset_total (
        asset text NOT NULL,
        chain_id bigint NOT NULL DEFAULT 0,
        runs bigint NOT NULL DEFAULT 0,
        seconds numeric(18, 3) NOT NULL DEFAULT 0,
        row_count bigint NOT NULL DEFAULT 0,
        failures bigint NOT NULL DEFAULT 0,
        last_started_at timestamptz,
        last_seconds numeric(12, 3),
        last_row_count bigint,
        last_range_from text,
        last_range_to text,
        last_failed_at timestamptz,
        PRIMARY KEY (asset, chain_id)
    )
    """,
    # What is wrong now, or was. An episode begins when a condition appears that was not there.
    """
    CREATE TABLE operator_alert (
        key text PRIMARY KEY,
        kind text NOT NULL,
        subject text NOT NULL,
        severity text NOT NULL CHECK (severity IN ('warning', 'error')),
        summary text NOT NULL,
        details jsonb NOT NULL DEFAULT '{}',
        firing boolean NOT NULL,
        episode integer NOT NULL DEFAULT 1,
        started_at timestamptz NOT NULL DEFAULT now(),
        seen_at timestamptz NOT NULL DEFAULT now(),
        resolved_at timestamptz
    )
    """,
    # Messages to the operator's webhook, recorded with the change they tell of and sent afterwards.
    """
    CREATE TABLE alert_delivery (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        alert_key text NOT NULL,
        change_key text NOT NULL UNIQUE,
        body jsonb NOT NULL,
        status text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'given_up')),
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        last_error text,
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz
    )
    """,
    "CREATE INDEX alert_delivery_waiting ON alert_delivery (alert_key, id) WHERE status = 'waiting'",
)

TABLES = ("alert_delivery", "operator_alert", "asset_total", "service_counter")


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    for table in TABLES:
        op.execute(f"DROP TABLE {table}")
