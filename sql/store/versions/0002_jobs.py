"""The job queue, in a schema of its own: the tables and functions that its library brings."""

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Many statements at once, with percent signs: only the driver itself takes them as they are.
    driver = op.get_bind().connection.driver_connection
    driver.execute("CREATE SCHEMA jobs")
    # The library's statements name no schema, and clients find them by their search path.
    driver.execute("SET LOCAL search_path = jobs")
    driver.execute(SchemaManager.get_schema())
    driver.execute("SET LOCAL search_path = public")


def downgrade() -> None:
    op.execute("DROP SCHEMA jobs CASCADE")
