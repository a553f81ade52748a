"""Whatever changes of a registration, its token waits for its document in the same transaction: also one that comes or
goes, and the token that an id belonged to before a reorganisation gave it to another."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_SHOWN = (
    "token_address", "owner", "managers", "registry", "minted_at", "expired_at", "released_at", "verification_method",
    "verified_at", "presented",
)  # fmt: skip


def _row(name: str) -> str:
    return "(" + ", ".join(f"{name}.{column}" for column in _SHOWN) + ")"


def upgrade() -> None:
    """Note more than what is presented."""
    op.execute(
        """
        CREATE OR REPLACE FUNCTION note_presented_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP <> 'INSERT' THEN
                INSERT INTO presented_change (chain_id, token_address) VALUES (OLD.chain_id, OLD.token_address);
            END IF;
            IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.token_address <> OLD.token_address) THEN
                INSERT INTO presented_change (chain_id, token_address) VALUES (NEW.chain_id, NEW.token_address);
            END IF;
            RETURN NULL;
        END
        $$
        """
    )
    op.execute("DROP TRIGGER registration_presents_otherwise ON registration")
    op.execute(
        "CREATE TRIGGER registration_presents_otherwise AFTER UPDATE ON registration FOR EACH ROW"
        f" WHEN ({_row('OLD')} IS DISTINCT FROM {_row('NEW')}) EXECUTE FUNCTION note_presented_change()"
    )
    op.execute(
        "CREATE TRIGGER registration_comes_or_goes AFTER INSERT OR DELETE ON registration FOR EACH ROW"
        " EXECUTE FUNCTION note_presented_change()"
    )


def downgrade() -> None:
    """Note what is presented, and no more."""
    op.execute("DROP TRIGGER registration_comes_or_goes ON registration")
    op.execute("DROP TRIGGER registration_presents_otherwise ON registration")
    op.execute(
        """
        CREATE OR REPLACE FUNCTION note_presented_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO presented_change (chain_id, token_address) VALUES (NEW.chain_id, NEW.token_address);
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        "CREATE TRIGGER registration_presents_otherwise AFTER UPDATE OF profile, metadata ON registration FOR EACH ROW"
        " WHEN (OLD.presented IS DISTINCT FROM NEW.presented) EXECUTE FUNCTION note_presented_change()"
    )
