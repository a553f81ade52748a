"""The event log tells what an event is about and whom it is for; how far each source of events has looked."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

STATEMENTS = (
    # Whom it is for: the account alone, or (null) whoever subscribes to its type.
    "ALTER TABLE event_log ADD COLUMN account_id uuid REFERENCES account (id)",
    # The registration it is about, where it is about one.
    "ALTER TABLE event_log ADD COLUMN token_id bigint",
    # When deliveries were made out of it; null: still to be done.
    "ALTER TABLE event_log ADD COLUMN fanned_out_at timestamptz",
    "CREATE INDEX event_log_to_fan_out ON event_log (id) WHERE fanned_out_at IS NULL",
    # What was recorded before there was anybody to be told is not told now.
    "UPDATE event_log SET fanned_out_at = now()",
    # How far a source of events has looked, moved in the transaction that records what it saw.
    """
    CREATE TABLE event_progress (
        chain_id bigint NOT NULL,
        source text NOT NULL,
        position bigint,
        in_time boolean NOT NULL DEFAULT false,
        told_from timestamptz NOT NULL DEFAULT now() - interval '1 day',
        looked_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain_id, source)
    )
    """,
    # What a registration's events are told against: what was told of it last.
    """
    CREATE TABLE event_state (
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        holder_milestone bigint,
        heartbeat_level text CHECK (heartbeat_level IN ('well', 'warning', 'critical')),
        heartbeat_status text,
        heartbeat_score numeric(5, 2),
        PRIMARY KEY (chain_id, token_id)
    )
    """,
    # Copies of registered tokens, noted with the verdict; told_at is null until their events are made.
    """
    CREATE TABLE copy_sighting (
        chain_id bigint NOT NULL,
        address text NOT NULL,
        of_chain_id bigint NOT NULL,
        of_token_id bigint NOT NULL,
        first_seen_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT now(),
        told_at timestamptz,
        PRIMARY KEY (chain_id, address, of_chain_id, of_token_id)
    )
    """,
    "CREATE INDEX copy_sighting_untold ON copy_sighting (chain_id, first_seen_at) WHERE told_at IS NULL",
)


def upgrade() -> None:
    """Add the columns and tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    for table in ("copy_sighting", "event_state", "event_progress"):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP INDEX event_log_to_fan_out")
    for column in ("fanned_out_at", "token_id", "account_id"):
        op.execute(f"ALTER TABLE event_log DROP COLUMN {column}")
