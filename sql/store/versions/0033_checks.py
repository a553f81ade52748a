"""What checks of the data have looked at, what they found wrong, and the operator's overrides. A failure without an
override stops what its check says: nothing, claims, or claims and publication."""

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and the view of what stops claims or publication now."""
    op.execute(
        """
        CREATE TABLE check_progress (
            check_name text NOT NULL,
            chain_id bigint NOT NULL,
            change_id bigint NOT NULL,
            final_block bigint NOT NULL,
            final_day date NOT NULL,
            position integer NOT NULL,
            checked_at timestamptz NOT NULL,
            pass_began_at timestamptz NOT NULL,
            pass_ended_at timestamptz,
            PRIMARY KEY (check_name, chain_id)
        )
        """
    )
    op.execute(
        """
        CREATE TABLE check_failure (
            check_name text NOT NULL,
            chain_id bigint NOT NULL,
            part jsonb NOT NULL,
            violations integer NOT NULL,
            example jsonb NOT NULL,
            stops text NOT NULL CHECK (stops IN ('nothing', 'claims', 'publication')),
            found_at timestamptz NOT NULL DEFAULT now(),
            seen_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (check_name, chain_id, part)
        )
        """
    )
    op.execute(
        """
        CREATE TABLE check_override (
            check_name text PRIMARY KEY,
            reason text NOT NULL,
            given_at timestamptz NOT NULL DEFAULT now(),
            ends_at timestamptz NOT NULL
        )
        """
    )
    op.execute(
        """
        CREATE VIEW check_hold AS
        SELECT check_name, stops, min(found_at) AS found_at, sum(violations)::integer AS violations
        FROM check_failure
        WHERE stops <> 'nothing'
          AND NOT EXISTS (
            SELECT FROM check_override
            WHERE check_override.check_name = check_failure.check_name AND ends_at > now()
          )
        GROUP BY check_name, stops
        """
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP VIEW check_hold")
    op.execute("DROP TABLE check_override, check_failure, check_progress")
