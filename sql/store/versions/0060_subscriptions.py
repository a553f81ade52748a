"""Who wants to hear from which token's page, over which channels, where they are reached, and their inbox."""

from alembic import op

revision = "0060"
down_revision = "0052"
branch_labels = None
depends_on = None

STATEMENTS = (
    # An account joins a page with one of its wallets. channels: what it opted in to; none but these are used. Without a
    # foreign key to the registration, because a reorganisation takes rows away and brings them back; token_address says
    # whether the id still means the same token.
    """
    CREATE TABLE page_subscription (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        token_address text NOT NULL,
        account_id uuid NOT NULL REFERENCES account (id),
        wallet text NOT NULL,
        channels text[] NOT NULL CHECK (cardinality(channels) > 0),
        created_at timestamptz NOT NULL,
        UNIQUE (chain_id, token_id, account_id)
    )
    """,
    "CREATE INDEX page_subscription_by_account ON page_subscription (account_id, created_at)",
    # Where an account is reached. sealed: the address, encrypted; its purpose is the row's id. code_mac: of the code
    # that confirms it.
    """
    CREATE TABLE contact (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        account_id uuid NOT NULL REFERENCES account (id),
        channel text NOT NULL CHECK (channel IN ('push', 'email', 'sms', 'telegram', 'discord')),
        sealed bytea NOT NULL,
        fingerprint bytea NOT NULL,
        created_at timestamptz NOT NULL,
        confirmed_at timestamptz,
        failed_at timestamptz,
        code_mac bytea,
        code_ends_at timestamptz,
        code_tries integer NOT NULL DEFAULT 0,
        UNIQUE (account_id, channel)
    )
    """,
    # Codes asked for in the last day, by account and by address: both are limited.
    """
    CREATE TABLE contact_code (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        account_id uuid NOT NULL,
        fingerprint bytea NOT NULL,
        asked_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX contact_code_by_account ON contact_code (account_id, asked_at)",
    "CREATE INDEX contact_code_by_address ON contact_code (fingerprint, asked_at)",
    # A message once, and an entry for each account that has it.
    """
    CREATE TABLE inbox_message (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        kind text NOT NULL,
        title text NOT NULL,
        body text NOT NULL,
        link_url text,
        image_url text,
        rich_content jsonb,
        chain_id bigint,
        token_id bigint,
        symbol text,
        created_at timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE inbox_entry (
        account_id uuid NOT NULL REFERENCES account (id),
        message_id uuid NOT NULL REFERENCES inbox_message (id) ON DELETE CASCADE,
        read_at timestamptz,
        PRIMARY KEY (account_id, message_id)
    )
    """,
    "CREATE INDEX inbox_entry_unread ON inbox_entry (account_id, message_id) WHERE read_at IS NULL",
    "CREATE INDEX inbox_entry_by_message ON inbox_entry (message_id)",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Drop the tables."""
    for table in ("inbox_entry", "inbox_message", "contact_code", "contact", "page_subscription"):
        op.execute(f"DROP TABLE {table}")
