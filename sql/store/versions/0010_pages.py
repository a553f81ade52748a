"""What a registration's page has beside its profile: verified domains, the sites among them, and installed apps."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

STATEMENTS = (
    # A domain that an owner says is the registration's. It is verified while its DNS says so too.
    """
    CREATE TABLE registration_domain (
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        domain text NOT NULL,
        challenge text NOT NULL,
        requested_at timestamptz NOT NULL DEFAULT now(),
        verified_at timestamptz,
        checked_at timestamptz,
        failing_since timestamptz,
        last_problem text,
        vanity_enabled boolean NOT NULL DEFAULT false,
        embeds boolean NOT NULL DEFAULT false,
        PRIMARY KEY (chain_id, token_id, domain)
    )
    """,
    # A domain stands for one registration of a chain; whoever only claims it keeps nobody else from it.
    "CREATE UNIQUE INDEX registration_domain_verified ON registration_domain (chain_id, domain)"
    " WHERE verified_at IS NOT NULL",
    "CREATE INDEX registration_domain_to_check ON registration_domain (checked_at) WHERE verified_at IS NOT NULL",
    # Apps on a registration's page, in the page's own order.
    """
    CREATE TABLE page_app (
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        app_id text NOT NULL,
        position bigint NOT NULL,
        enabled boolean NOT NULL DEFAULT true,
        installed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain_id, token_id, app_id)
    )
    """,
    # Whether the page's embeds run on other sites at all.
    "ALTER TABLE registration ADD COLUMN embeds_enabled boolean NOT NULL DEFAULT true",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE registration DROP COLUMN embeds_enabled")
    op.execute("DROP TABLE page_app")
    op.execute("DROP TABLE registration_domain")
