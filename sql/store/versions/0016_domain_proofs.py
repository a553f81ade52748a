"""When a domain's proof is looked at again, how often it was missing, and which domains bear the badge.

What was set for a page goes with its registration, when the chain takes that back.
"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

PAGE_TABLES = ("registration_domain", "page_app")

STATEMENTS = (
    """
    ALTER TABLE registration_domain
        ADD COLUMN check_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN absences integer NOT NULL DEFAULT 0,
        ADD COLUMN lost_at timestamptz,
        ADD COLUMN badge boolean NOT NULL DEFAULT true,
        ADD CONSTRAINT registration_domain_embed_check CHECK (badge OR NOT embeds)
    """,
    "DROP INDEX registration_domain_to_check",
    "CREATE INDEX registration_domain_to_check ON registration_domain (check_at) WHERE verified_at IS NOT NULL",
    *(
        statement.format(table=table)
        for table in PAGE_TABLES
        for statement in (
            """
            DELETE FROM {table} WHERE NOT EXISTS (
                SELECT FROM registration AS r WHERE r.chain_id = {table}.chain_id AND r.token_id = {table}.token_id)
            """,
            """
            ALTER TABLE {table} ADD FOREIGN KEY (chain_id, token_id) REFERENCES registration (chain_id, token_id)
                ON DELETE CASCADE
            """,
        )
    ),
    # A reorganisation can give the id to another mint: what its predecessor's owner set is not the new one's.
    """
    CREATE FUNCTION forget_page_of_another_mint() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM registration_domain WHERE chain_id = NEW.chain_id AND token_id = NEW.token_id;
        DELETE FROM page_app WHERE chain_id = NEW.chain_id AND token_id = NEW.token_id;
        UPDATE registration SET profile = '{}', embeds_enabled = true
        WHERE chain_id = NEW.chain_id AND token_id = NEW.token_id AND (profile <> '{}' OR NOT embeds_enabled);
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE TRIGGER registration_is_another_mint AFTER UPDATE OF transaction_hash ON registration FOR EACH ROW
    WHEN (OLD.transaction_hash <> NEW.transaction_hash) EXECUTE FUNCTION forget_page_of_another_mint()
    """,
)


def upgrade() -> None:
    """Add the columns, and tie pages to their registrations."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER registration_is_another_mint ON registration")
    op.execute("DROP FUNCTION forget_page_of_another_mint()")
    for table in PAGE_TABLES:
        op.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_chain_id_token_id_fkey")
    op.execute("DROP INDEX registration_domain_to_check")
    op.execute(
        "CREATE INDEX registration_domain_to_check ON registration_domain (checked_at) WHERE verified_at IS NOT NULL"
    )
    op.execute("ALTER TABLE registration_domain DROP CONSTRAINT registration_domain_embed_check")
    for column in ("badge", "lost_at", "absences", "check_at"):
        op.execute(f"ALTER TABLE registration_domain DROP COLUMN {column}")
