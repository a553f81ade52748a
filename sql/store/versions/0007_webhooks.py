"""Webhook subscriptions and their deliveries."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE webhook_subscription (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        account_id uuid NOT NULL REFERENCES account (id),
        url text NOT NULL,
        events text[] NOT NULL,
        crown_ids bigint[],
        chain_ids bigint[],
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'deleted')),
        disabled_reason text CHECK (disabled_reason IN ('failures', 'gone', 'owner')),
        disabled_at timestamptz,
        consecutive_failures integer NOT NULL DEFAULT 0,
        idempotency_key text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    "CREATE UNIQUE INDEX webhook_subscription_of_account ON webhook_subscription (account_id, idempotency_key)",
    # Which subscriptions want an event of a type.
    "CREATE INDEX webhook_subscription_by_event ON webhook_subscription USING gin (events) WHERE status = 'active'",
    # Sealed with a key that the store does not have. The newest without an end signs; the others until they end.
    """
    CREATE TABLE webhook_secret (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        subscription_id uuid NOT NULL REFERENCES webhook_subscription (id) ON DELETE CASCADE,
        sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        ends_at timestamptz
    )
    """,
    "CREATE INDEX webhook_secret_by_subscription ON webhook_secret (subscription_id)",
    # An event on its way to a subscription. due_at is when it is tried next; whoever tries it moves that to the end of
    # their lease first, so that the work of a worker that is gone falls due again by itself.
    """
    CREATE TABLE webhook_delivery (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        subscription_id uuid NOT NULL REFERENCES webhook_subscription (id) ON DELETE CASCADE,
        event_id uuid REFERENCES event_log (id),
        event_type text NOT NULL,
        cause text NOT NULL CHECK (cause IN ('event', 'replay', 'test')),
        test_payload jsonb,
        status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'exhausted')),
        attempts integer NOT NULL DEFAULT 0,
        due_at timestamptz NOT NULL,
        lease uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        CHECK ((cause = 'test') = (event_id IS NULL)),
        CHECK ((cause = 'test') = (test_payload IS NOT NULL)),
        CHECK ((status = 'pending') = (finished_at IS NULL))
    )
    """,
    "CREATE UNIQUE INDEX webhook_delivery_once ON webhook_delivery (subscription_id, event_id) WHERE cause = 'event'",
    "CREATE UNIQUE INDEX webhook_delivery_one_replay ON webhook_delivery (subscription_id, event_id)"
    " WHERE cause = 'replay' AND status = 'pending'",
    "CREATE INDEX webhook_delivery_due ON webhook_delivery (subscription_id, due_at, id) WHERE status = 'pending'",
    "CREATE INDEX webhook_delivery_next ON webhook_delivery (due_at) WHERE status = 'pending'",
    "CREATE INDEX webhook_delivery_tests ON webhook_delivery (subscription_id)"
    " WHERE status = 'pending' AND cause = 'test'",
    "CREATE INDEX webhook_delivery_by_subscription ON webhook_delivery (subscription_id, id)",
    "CREATE INDEX webhook_delivery_finished ON webhook_delivery (finished_at) WHERE status <> 'pending'",
    "CREATE INDEX webhook_delivery_exhausted ON webhook_delivery (finished_at) WHERE status = 'exhausted'",
    """
    CREATE TABLE webhook_attempt (
        delivery_id uuid NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
        number integer NOT NULL,
        url text NOT NULL,
        request_headers jsonb NOT NULL,
        status integer,
        response_headers jsonb,
        response_body text,
        response_complete boolean,
        failure text,
        problem text,
        dns_seconds double precision,
        connect_seconds double precision,
        answer_seconds double precision,
        total_seconds double precision NOT NULL,
        started_at timestamptz NOT NULL,
        PRIMARY KEY (delivery_id, number)
    )
    """,
    # Workers listen, so that nobody waits for their next look.
    """
    CREATE FUNCTION tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_notify('webhooks', '');
        RETURN NULL;
    END
    $$
    """,
    "CREATE TRIGGER event_log_tells_webhooks AFTER INSERT ON event_log"
    " FOR EACH STATEMENT EXECUTE FUNCTION tell_webhooks()",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER event_log_tells_webhooks ON event_log")
    op.execute("DROP FUNCTION tell_webhooks")
    for table in ("webhook_attempt", "webhook_delivery", "webhook_secret", "webhook_subscription"):
        op.execute(f"DROP TABLE {table}")
