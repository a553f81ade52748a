"""Challenges of registrations, consents to migrations, and copy verdicts by hand. The history tells of challenges."""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_TYPES = "'token.minted', 'token.released', 'token.expired', 'profile.updated'"
_NEW_TYPES = "'token.challenge_upheld', 'token.challenge_rejected'"

STATEMENTS = (
    # mint_transaction: the mint that is challenged. After a reorganisation another mint may have the id.
    # announcements: how often an operator had the end announced anew. stop_seen_at: chain time at which it was first
    # seen that the announced end is gone.
    """
    CREATE TABLE registration_challenge (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        mint_transaction text NOT NULL,
        symbol text NOT NULL,
        symbol_folded text NOT NULL,
        registered_token text NOT NULL,
        minted_at timestamptz NOT NULL,
        challenger_token text NOT NULL,
        challenger_wallet text NOT NULL,
        verification_method text NOT NULL,
        account_id uuid NOT NULL REFERENCES account (id),
        opened_at timestamptz NOT NULL,
        decide_at timestamptz NOT NULL,
        state text NOT NULL DEFAULT 'open'
            CHECK (state IN ('open', 'undecided', 'rejected', 'upheld', 'withdrawing', 'ended', 'stopped', 'void')),
        decided_at timestamptz,
        decided_by text CHECK (decided_by IN ('rules', 'operator')),
        reason text,
        evidence jsonb,
        announcements integer NOT NULL DEFAULT 0,
        announced_transaction text,
        execution_transaction text,
        stop_seen_at timestamptz,
        ended_at timestamptz,
        updated_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    # A token challenges a registration once.
    "CREATE UNIQUE INDEX registration_challenge_once"
    " ON registration_challenge (chain_id, token_id, mint_transaction, challenger_token)",
    # One challenge of a registration at a time.
    "CREATE UNIQUE INDEX registration_challenge_at_work ON registration_challenge (chain_id, token_id)"
    " WHERE state IN ('open', 'undecided', 'upheld', 'withdrawing')",
    # Symbols that are reserved for challengers.
    "CREATE INDEX registration_challenge_reserves ON registration_challenge (chain_id, symbol_folded)"
    " WHERE state IN ('upheld', 'ended')",
    # Who controls the senior token says that the other one is its successor.
    """
    CREATE TABLE copy_migration_consent (
        chain_id bigint NOT NULL,
        senior_address text NOT NULL,
        address text NOT NULL,
        wallet text NOT NULL,
        verification_method text NOT NULL,
        signed_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain_id, senior_address, address)
    )
    """,
    # The operator's verdict on a token that rules cannot judge.
    """
    CREATE TABLE copy_ruling (
        chain_id bigint NOT NULL,
        address text NOT NULL,
        is_copy boolean NOT NULL,
        of_address text,
        reason text NOT NULL,
        decided_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain_id, address),
        CHECK (is_copy = (of_address IS NOT NULL))
    )
    """,
    # A consent or a ruling changes a verdict, so the token's document is made again.
    """
    CREATE FUNCTION note_changed_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            INSERT INTO presented_change (chain_id, token_address) VALUES (OLD.chain_id, OLD.address);
        ELSE
            INSERT INTO presented_change (chain_id, token_address) VALUES (NEW.chain_id, NEW.address);
        END IF;
        RETURN NULL;
    END
    $$
    """,
    "CREATE TRIGGER copy_migration_consent_changes_verdict AFTER INSERT OR DELETE ON copy_migration_consent"
    " FOR EACH ROW EXECUTE FUNCTION note_changed_verdict()",
    "CREATE TRIGGER copy_ruling_changes_verdict AFTER INSERT OR UPDATE OR DELETE ON copy_ruling"
    " FOR EACH ROW EXECUTE FUNCTION note_changed_verdict()",
)


def _tell_history_of(types: str) -> None:
    op.execute("DROP TRIGGER event_log_into_history ON event_log")
    op.execute(
        "CREATE TRIGGER event_log_into_history AFTER INSERT ON event_log FOR EACH ROW"
        " WHEN (NEW.token_id IS NOT NULL AND NEW.chain_id IS NOT NULL AND NEW.account_id IS NULL"
        f" AND NEW.type IN ({types})) EXECUTE FUNCTION chain_event_into_history()"
    )


def upgrade() -> None:
    """Make the tables, and add challenges to the history."""
    for statement in STATEMENTS:
        op.execute(statement)
    _tell_history_of(f"{_TYPES}, {_NEW_TYPES}")


def downgrade() -> None:
    """Remove them."""
    _tell_history_of(_TYPES)
    for table in ("copy_ruling", "copy_migration_consent", "registration_challenge"):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP FUNCTION note_changed_verdict()")
