"""Why a registration ended, and the end that its registry has announced; both go into the public history."""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

PREVIOUS_TYPES = (
    "'token.minted', 'token.released', 'token.expired', 'profile.updated', 'token.challenge_upheld',"
    " 'token.challenge_rejected'"
)
HISTORY_TYPES = f"{PREVIOUS_TYPES}, 'token.settled', 'token.end_announced', 'token.end_objected', 'token.end_stopped'"


def _record_in_history(types: str) -> None:
    op.execute("DROP TRIGGER event_log_into_history ON event_log")
    op.execute(
        "CREATE TRIGGER event_log_into_history AFTER INSERT ON event_log FOR EACH ROW WHEN (NEW.token_id IS NOT NULL"
        f" AND NEW.chain_id IS NOT NULL AND NEW.account_id IS NULL AND NEW.type IN ({types}))"
        " EXECUTE FUNCTION chain_event_into_history()"
    )


def upgrade() -> None:
    """Add the columns, and the events to the history."""
    op.execute(
        """
        ALTER TABLE registration
            ADD COLUMN end_reason text
                CHECK (end_reason IN ('released', 'settled', 'inactive', 'challenge_upheld')),
            ADD COLUMN settled_token_id bigint,
            ADD COLUMN pending_end text CHECK (pending_end IN ('inactive', 'challenge_upheld')),
            ADD COLUMN pending_end_due_at timestamptz,
            ADD COLUMN pending_end_objected_at timestamptz,
            ADD COLUMN end_stopped_at timestamptz
        """
    )
    op.execute(
        "UPDATE registration SET end_reason = CASE WHEN expired_at IS NULL THEN 'released' ELSE 'inactive' END"
        " WHERE expired_at IS NOT NULL OR released_at IS NOT NULL"
    )
    op.execute(
        "CREATE INDEX registration_pending_end ON registration (chain_id, token_id) WHERE pending_end IS NOT NULL"
    )
    _record_in_history(HISTORY_TYPES)


def downgrade() -> None:
    """Remove them."""
    _record_in_history(PREVIOUS_TYPES)
    op.execute("DROP INDEX registration_pending_end")
    op.execute(
        "ALTER TABLE registration DROP COLUMN end_reason, DROP COLUMN settled_token_id, DROP COLUMN pending_end,"
        " DROP COLUMN pending_end_due_at, DROP COLUMN pending_end_objected_at, DROP COLUMN end_stopped_at"
    )
