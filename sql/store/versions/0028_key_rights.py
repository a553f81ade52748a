"""What a key may do, from where and for how long; keys that replace others."""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

STATEMENTS = (
    # scopes null: what keys could do before there were scopes. allowed_addresses null: from anywhere. expires_at null:
    # never. expiry_told: 1 after the account was warned of this expiry, 2 after the key expired.
    # replaced_by: the key that this one was rolled to. quota_of: the first key of such a chain, whose rate and quota
    # all of them share; null: its own.
    # idempotency_key, request_hash, sealed_secret: for a day after the request that made the key.
    """
    ALTER TABLE api_key
        ADD COLUMN scopes text[],
        ADD COLUMN allowed_addresses cidr[] CHECK (cardinality(allowed_addresses) > 0),
        ADD COLUMN expires_at timestamptz,
        ADD COLUMN expiry_told smallint NOT NULL DEFAULT 0,
        ADD COLUMN replaced_by uuid UNIQUE REFERENCES api_key (id),
        ADD COLUMN quota_of uuid REFERENCES api_key (id),
        ADD COLUMN idempotency_key text,
        ADD COLUMN request_hash bytea,
        ADD COLUMN sealed_secret bytea
    """,
    """
    CREATE UNIQUE INDEX api_key_by_request ON api_key (account_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL
    """,
    "CREATE INDEX api_key_by_expiry ON api_key (expires_at) WHERE revoked_at IS NULL AND expiry_told < 2",
    "DROP TRIGGER api_key_tells_revocation ON api_key",
    """
    CREATE TRIGGER api_key_tells_rights
    AFTER UPDATE OF revoked_at, scopes, allowed_addresses, expires_at ON api_key
    FOR EACH ROW WHEN (
        (OLD.revoked_at, OLD.scopes, OLD.allowed_addresses, OLD.expires_at)
        IS DISTINCT FROM (NEW.revoked_at, NEW.scopes, NEW.allowed_addresses, NEW.expires_at)
    ) EXECUTE FUNCTION tell_access()
    """,
)


def upgrade() -> None:
    """Add the columns, and notify of every change of what a key may do."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER api_key_tells_rights ON api_key")
    op.execute(
        """
        CREATE TRIGGER api_key_tells_revocation AFTER UPDATE OF revoked_at ON api_key
        FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION tell_access()
        """
    )
    op.execute("DROP INDEX api_key_by_expiry")
    op.execute("DROP INDEX api_key_by_request")
    for column in (
        "sealed_secret", "request_hash", "idempotency_key", "quota_of", "replaced_by", "expiry_told", "expires_at",
        "allowed_addresses", "scopes",
    ):  # fmt: skip
        op.execute(f"ALTER TABLE api_key DROP COLUMN {column}")
