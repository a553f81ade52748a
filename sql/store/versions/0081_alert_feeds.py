"""Feeds of buys: what accounts follow, and the messages to their chats."""

from alembic import op

revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None

STATEMENTS = (
    # Of one token, or of all tokens whose registrations a wallet owns. after_block: nothing before is told. sealed: the
    # chat's address, encrypted; its purpose is the row's id.
    """
    CREATE TABLE alert_feed (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES account (id),
        chain_id bigint NOT NULL,
        token_address text,
        owner_wallet text,
        min_usd numeric CHECK (min_usd > 0),
        min_raw numeric(78, 0) CHECK (min_raw > 0),
        channel text CHECK (channel IN ('telegram', 'discord')),
        sealed bytea,
        after_block bigint NOT NULL,
        created_at timestamptz NOT NULL,
        CHECK ((token_address IS NULL) <> (owner_wallet IS NULL)),
        CHECK ((min_usd IS NULL) <> (min_raw IS NULL)),
        CHECK ((channel IS NULL) = (sealed IS NULL))
    )
    """,
    "CREATE INDEX alert_feed_by_account ON alert_feed (account_id, created_at, id)",
    "CREATE INDEX alert_feed_of_chats ON alert_feed (chain_id) WHERE channel IS NOT NULL",
    # Through which block the buys of a chain are told to chats.
    """
    CREATE TABLE alert_feed_progress (
        chain_id bigint PRIMARY KEY,
        block_number bigint NOT NULL
    )
    """,
    """
    CREATE TABLE alert_feed_message (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        feed_id uuid NOT NULL REFERENCES alert_feed (id) ON DELETE CASCADE,
        block_number bigint NOT NULL,
        log_index integer NOT NULL,
        channel text NOT NULL,
        title text NOT NULL,
        body text NOT NULL,
        link_url text,
        status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'exhausted', 'skipped')),
        due_at timestamptz NOT NULL,
        lease uuid,
        attempts integer NOT NULL DEFAULT 0,
        problem text,
        finished_at timestamptz,
        UNIQUE (feed_id, block_number, log_index)
    )
    """,
    "CREATE INDEX alert_feed_message_due ON alert_feed_message (channel, due_at, id) WHERE status = 'pending'",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Drop the tables."""
    for table in ("alert_feed_message", "alert_feed_progress", "alert_feed"):
        op.execute(f"DROP TABLE {table}")
