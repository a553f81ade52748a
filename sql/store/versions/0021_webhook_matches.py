"""Which events a webhook subscription matches, as one function."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the function."""
    # An event for one account matches that account's subscriptions, whatever their filter. A public one matches if the
    # filter lets it pass; one that is about no registration always passes. An event of a private type without an
    # account matches nothing. The planner inlines the function.
    op.execute(
        """
        CREATE FUNCTION webhook_matches(
            event_type text, event_chain_id bigint, event_token_id bigint, event_account_id uuid,
            account_id uuid, chain_ids bigint[], crown_ids bigint[], private_types text[]
        ) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT event_account_id = account_id
                OR (event_account_id IS NULL AND event_type <> ALL(private_types)
                    AND (event_token_id IS NULL
                         OR ((crown_ids IS NULL OR event_token_id = ANY(crown_ids))
                             AND (chain_ids IS NULL OR event_chain_id = ANY(chain_ids)))))
        $$
        """
    )


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP FUNCTION webhook_matches")
