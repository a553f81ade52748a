"""An operator's copy verdict counts only while the token bears the symbol that it was given for; trust flags."""

import sqlalchemy as sa
from alembic import op

from warehouse.domain.symbols import fold

revision = "0031"
down_revision = "0029"
branch_labels = None
depends_on = None

_RULED = """
    SELECT ruling.chain_id, ruling.address, token.symbol_key
    FROM copy_ruling AS ruling
    JOIN indexed_token AS token ON token.chain_id = ruling.chain_id AND token.address = ruling.address
"""
_GIVEN_FOR = """
    UPDATE copy_ruling SET symbol_folded = :folded WHERE chain_id = :chain_id AND address = :address
"""


def upgrade() -> None:
    """Add both. Verdicts given before are for the symbol that the token bears now. Of a token that is not indexed the
    symbol is unknown (null): its verdict counts under any."""
    op.execute("ALTER TABLE copy_ruling ADD COLUMN symbol_folded text")
    op.execute("ALTER TABLE indexed_token ADD COLUMN trust_flags text[] NOT NULL DEFAULT '{}'")
    store = op.get_bind()
    for row in store.execute(sa.text(_RULED)).mappings().all():
        ruled = {"chain_id": row["chain_id"], "address": row["address"], "folded": fold(row["symbol_key"])}
        store.execute(sa.text(_GIVEN_FOR), ruled)


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE indexed_token DROP COLUMN trust_flags")
    op.execute("ALTER TABLE copy_ruling DROP COLUMN symbol_folded")
