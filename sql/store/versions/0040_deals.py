"""Deals on registrations: offers, their events and attestations, checks of funds, and what holders accept."""

from alembic import op

revision = "0040"
down_revision = "0033"
branch_labels = None
depends_on = None

STATEMENTS = (
    "CREATE TABLE deal_group (id uuid PRIMARY KEY DEFAULT uuidv7(), account_id uuid NOT NULL REFERENCES account (id),"
    " size integer NOT NULL CHECK (size > 1), created_at timestamptz NOT NULL)",
    # The offerer pays, the holder has the registration. mint_transaction: the mint that the offer is for; another mint
    # may have the id after a reorganisation. amount is in whole units of the currency, amount_raw in base units.
    """
    CREATE TABLE deal (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        deal_type text NOT NULL CHECK (deal_type IN ('buyout', 'project_sale', 'merge', 'collab')),
        status text NOT NULL CHECK (status IN (
            'draft', 'pending', 'announced', 'paused', 'payment_pending', 'executing', 'migrating', 'completed',
            'failed', 'cancelled', 'closed')),
        stage text NOT NULL CHECK (stage IN (
            'awaiting_response', 'announcement', 'swap_window', 'awaiting_consent', 'awaiting_dispatch', 'settling',
            'awaiting_launch', 'completed', 'closed')),
        deadline_kind text CHECK (deadline_kind IN (
            'offer', 'announcement', 'migration_window', 'burn_consent', 'settlement_window')),
        deadline timestamptz,
        paused_at timestamptz,
        group_id uuid REFERENCES deal_group (id),
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        mint_transaction text NOT NULL,
        symbol text NOT NULL,
        token_address text NOT NULL,
        offerer text NOT NULL,
        offerer_account uuid NOT NULL REFERENCES account (id),
        holder text,
        amount numeric,
        amount_raw numeric(78,0),
        currency text,
        currency_address text,
        amount_usd numeric,
        terms jsonb NOT NULL DEFAULT '{}'::jsonb,
        message text,
        response_message text,
        funded_percent integer NOT NULL DEFAULT 0 CHECK (funded_percent BETWEEN 0 AND 100),
        expires_at timestamptz,
        window_end timestamptz,
        completed_at timestamptz,
        failure_reason text,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        CHECK (offerer <> holder),
        CHECK ((status = 'paused') = (paused_at IS NOT NULL)),
        CHECK ((deadline IS NULL) = (deadline_kind IS NULL))
    )
    """,
    # A registration has one accepted deal at a time (api/deals/states.py, LOCKING): of two acceptances, one fails.
    "CREATE UNIQUE INDEX deal_one_accepted ON deal (chain_id, token_id, mint_transaction)"
    " WHERE status IN ('pending', 'announced', 'paused', 'payment_pending', 'executing', 'migrating')",
    "CREATE INDEX deal_by_registration ON deal (chain_id, token_id, id)",
    "CREATE INDEX deal_by_symbol ON deal (symbol, id)",
    "CREATE INDEX deal_by_offerer ON deal (offerer, id)",
    "CREATE INDEX deal_by_holder ON deal (holder, id) WHERE holder IS NOT NULL",
    "CREATE INDEX deal_by_account ON deal (offerer_account, created_at)",
    "CREATE INDEX deal_by_group ON deal (group_id) WHERE group_id IS NOT NULL",
    "CREATE INDEX deal_due ON deal (deadline) WHERE deadline IS NOT NULL AND paused_at IS NULL",
    """
    CREATE TABLE deal_event (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        deal_id uuid NOT NULL REFERENCES deal (id),
        event_type text NOT NULL,
        event_data jsonb NOT NULL,
        actor text,
        created_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX deal_event_by_deal ON deal_event (deal_id, id)",
    # What a party did, signed by the service; statement: the EIP-712 document.
    """
    CREATE TABLE deal_attestation (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        deal_id uuid NOT NULL REFERENCES deal (id),
        move text NOT NULL,
        actor text NOT NULL,
        signer text NOT NULL,
        statement jsonb NOT NULL,
        message_hash text NOT NULL,
        domain_separator text NOT NULL,
        signature text NOT NULL,
        created_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX deal_attestation_by_deal ON deal_attestation (deal_id, id)",
    # A wallet's balance as a node told it. deal_id: filed for that deal by one of its parties.
    """
    CREATE TABLE deal_funds_check (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        account_id uuid NOT NULL REFERENCES account (id),
        deal_id uuid REFERENCES deal (id),
        wallet text NOT NULL,
        chain_id bigint NOT NULL,
        currency_address text NOT NULL,
        amount_raw numeric(78,0) NOT NULL,
        required_raw numeric(78,0) NOT NULL,
        balance_raw numeric(78,0) NOT NULL,
        funded_percent integer NOT NULL,
        verified boolean NOT NULL,
        block_number bigint NOT NULL,
        statement jsonb,
        statement_hash text,
        signature text,
        checked_at timestamptz NOT NULL,
        CHECK (verified = (signature IS NOT NULL))
    )
    """,
    "CREATE INDEX deal_funds_check_passing ON deal_funds_check (account_id, wallet, chain_id, currency_address,"
    " checked_at) WHERE verified",
    "CREATE INDEX deal_funds_check_by_deal ON deal_funds_check (deal_id, id) WHERE deal_id IS NOT NULL",
    """
    CREATE TABLE deal_offer_rule (
        account_id uuid PRIMARY KEY REFERENCES account (id),
        floor_usd integer NOT NULL DEFAULT 0 CHECK (floor_usd BETWEEN 0 AND 100000000),
        offers_disabled boolean NOT NULL DEFAULT false,
        updated_at timestamptz NOT NULL DEFAULT now()
    )
    """,
)


def upgrade() -> None:
    """Add the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE deal_offer_rule, deal_funds_check, deal_attestation, deal_event, deal, deal_group")
