"""Name the account or the API key in notifications of changed access, so that nothing else is forgotten."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_FUNCTION = """
CREATE OR REPLACE FUNCTION tell_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('access', {payload});
    RETURN NULL;
END
$$
"""


def upgrade() -> None:
    """Send the table's name and the row's id."""
    op.execute(_FUNCTION.format(payload="TG_TABLE_NAME || ' ' || NEW.id::text"))


def downgrade() -> None:
    """Send nothing."""
    op.execute(_FUNCTION.format(payload="''"))
