"""Accounts' wallets, sign-in nonces and wallet sessions."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

STATEMENTS = (
    # A wallet belongs to one account; account.wallet is the first of an account's wallets.
    """
    CREATE TABLE account_wallet (
        wallet text PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES account (id),
        linked_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    "CREATE INDEX account_wallet_by_account ON account_wallet (account_id, linked_at)",
    "INSERT INTO account_wallet (wallet, account_id, linked_at) SELECT wallet, id, created_at FROM account",
    # Whoever makes an account, its first wallet is linked with it; a wallet of another account makes that fail.
    """
    CREATE FUNCTION link_first_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO account_wallet (wallet, account_id, linked_at) VALUES (NEW.wallet, NEW.id, NEW.created_at);
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER account_links_first_wallet AFTER INSERT ON account
    FOR EACH ROW EXECUTE FUNCTION link_first_wallet()
    """,
    # Handed out and not used yet: a sign-in takes its row away.
    """
    CREATE TABLE sign_in_nonce (
        nonce text PRIMARY KEY,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX sign_in_nonce_by_end ON sign_in_nonce (expires_at)",
    # wallets: those that signed in, in order.
    """
    CREATE TABLE wallet_session (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        account_id uuid NOT NULL REFERENCES account (id),
        wallets text[] NOT NULL CHECK (cardinality(wallets) > 0),
        scopes text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz
    )
    """,
    "CREATE INDEX wallet_session_by_account ON wallet_session (account_id, expires_at)",
    "CREATE INDEX wallet_session_by_end ON wallet_session (expires_at)",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER account_links_first_wallet ON account")
    op.execute("DROP FUNCTION link_first_wallet")
    for table in ("wallet_session", "sign_in_nonce", "account_wallet"):
        op.execute(f"DROP TABLE {table}")
