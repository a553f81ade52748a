"""Broadcasts to the subscribers of a page: what is sent, to whom, and what became of it over each channel."""

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None

STATEMENTS = (
    # queued_through: up to which position of the recipients deliveries were made. recipients: null before it is known.
    """
    CREATE TABLE broadcast (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        token_address text NOT NULL,
        account_id uuid NOT NULL REFERENCES account (id),
        wallet text NOT NULL,
        idempotency_key text,
        request_hash bytea NOT NULL,
        kind text NOT NULL CHECK (kind IN ('update', 'alert')),
        title text NOT NULL,
        body text NOT NULL,
        link_url text,
        image_url text,
        rich_content jsonb,
        chain_scope text,
        source_type text NOT NULL,
        channels text[] NOT NULL,
        segments text[] NOT NULL,
        holdout_percent integer NOT NULL DEFAULT 0 CHECK (holdout_percent BETWEEN 0 AND 50),
        status text NOT NULL CHECK (status IN ('review', 'queued', 'sending', 'sent', 'refused', 'cancelled')),
        status_reason text,
        reviewed_at timestamptz,
        expected integer NOT NULL,
        recipients integer,
        queued_through integer NOT NULL DEFAULT 0,
        as_of_block bigint,
        created_at timestamptz NOT NULL,
        due_at timestamptz NOT NULL,
        try_at timestamptz NOT NULL,
        sent_at timestamptz,
        UNIQUE (account_id, idempotency_key)
    )
    """,
    "CREATE INDEX broadcast_by_page ON broadcast (chain_id, token_id, due_at)",
    "CREATE INDEX broadcast_to_send ON broadcast (try_at, id) WHERE status IN ('queued', 'sending')",
    # Position 1 holds most.
    """
    CREATE TABLE broadcast_recipient (
        broadcast_id uuid NOT NULL REFERENCES broadcast (id) ON DELETE CASCADE,
        position integer NOT NULL,
        account_id uuid NOT NULL,
        subscription_id uuid NOT NULL,
        wallet text NOT NULL,
        balance_raw numeric NOT NULL,
        held_out boolean NOT NULL,
        PRIMARY KEY (broadcast_id, position),
        UNIQUE (broadcast_id, account_id)
    )
    """,
    # Of a vendor's channel. Without an account it is the post in the token's public room.
    """
    CREATE TABLE broadcast_delivery (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        broadcast_id uuid NOT NULL REFERENCES broadcast (id) ON DELETE CASCADE,
        channel text NOT NULL,
        account_id uuid,
        status text NOT NULL CHECK (status IN ('pending', 'delivered', 'exhausted', 'skipped')),
        due_at timestamptz NOT NULL,
        lease uuid,
        attempts integer NOT NULL DEFAULT 0,
        problem text,
        finished_at timestamptz,
        UNIQUE NULLS NOT DISTINCT (broadcast_id, channel, account_id)
    )
    """,
    "CREATE INDEX broadcast_delivery_due ON broadcast_delivery (channel, due_at, id) WHERE status = 'pending'",
    # How much may be sent over a channel now, by all workers together.
    """
    CREATE TABLE channel_rate (
        channel text PRIMARY KEY,
        tokens double precision NOT NULL,
        counted_at timestamptz NOT NULL
    )
    """,
    "INSERT INTO channel_rate (channel, tokens, counted_at) SELECT channel, 0, to_timestamp(0)"
    " FROM unnest(ARRAY['push', 'email', 'sms', 'telegram', 'discord']) AS channel",
    # A token's public room on Telegram or Discord. sealed: its address, encrypted; its purpose is the row's id.
    """
    CREATE TABLE community_room (
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        channel text NOT NULL CHECK (channel IN ('telegram', 'discord')),
        id uuid NOT NULL,
        token_address text NOT NULL,
        sealed bytea NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (chain_id, token_id, channel)
    )
    """,
)


def upgrade() -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Drop the tables."""
    for table in ("community_room", "channel_rate", "broadcast_delivery", "broadcast_recipient", "broadcast"):
        op.execute(f"DROP TABLE {table}")
