"""The event log tells what an event is about and whom it is for."""

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
)


def upgrade() -> None:
    """Add the columns."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP INDEX event_log_to_fan_out")
    for column in ("fanned_out_at", "token_id", "account_id"):
        op.execute(f"ALTER TABLE event_log DROP COLUMN {column}")
