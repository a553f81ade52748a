"""The store's first tables: ingestion checkpoints, registrations, claims, accounts and the event log."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STATEMENTS = (
    # -- ingestion ---------------------------------------------------------------------------------------------
    # One sequence numbers units of work and the taking back of units.
    "CREATE SEQUENCE change_id_seq",
    # Version numbers of serve_publication.
    "CREATE SEQUENCE publication_version_seq",
    """
    CREATE TABLE chain_checkpoint (
        chain_id bigint PRIMARY KEY,
        generation bigint NOT NULL,
        block_number bigint,
        block_hash text,
        block_time timestamptz,
        final_block bigint,
        head_block bigint,
        pending jsonb,
        halted text,
        updated_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    """
    CREATE TABLE ingest_unit (
        unit_id bigint PRIMARY KEY,
        chain_id bigint NOT NULL,
        first_block bigint NOT NULL,
        last_block bigint NOT NULL,
        last_hash text NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'published', 'reverted', 'abandoned')),
        row_counts jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz
    )
    """,
    "CREATE INDEX ingest_unit_by_block ON ingest_unit (chain_id, last_block DESC)",
    """
    CREATE TABLE derive_checkpoint (
        subject text NOT NULL,
        chain_id bigint NOT NULL,
        change_id bigint NOT NULL,
        details jsonb NOT NULL DEFAULT '{}',
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (subject, chain_id)
    )
    """,
    """
    CREATE TABLE asset_run (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        asset text NOT NULL,
        chain_id bigint,
        started_at timestamptz NOT NULL,
        seconds numeric(12, 3) NOT NULL,
        row_count bigint NOT NULL,
        range_from text,
        range_to text
    )
    """,
    "CREATE INDEX asset_run_latest ON asset_run (asset, chain_id, started_at DESC)",
    # -- registrations and what single-key reads need ----------------------------------------------------------
    """
    CREATE TABLE registration (
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        block_hash text NOT NULL,
        log_index integer NOT NULL,
        block_number bigint NOT NULL,
        transaction_hash text NOT NULL,
        registry text NOT NULL,
        symbol text NOT NULL,
        owner text NOT NULL,
        token_address text NOT NULL,
        fee_wei numeric(78, 0) NOT NULL,
        with_receipt boolean NOT NULL,
        minted_at timestamptz NOT NULL,
        managers text[] NOT NULL DEFAULT '{}',
        maintainers text[] NOT NULL DEFAULT '{}',
        metadata_cid text,
        metadata jsonb,
        peer_chain_id bigint,
        peer_token_id bigint,
        released_at timestamptz,
        expired_at timestamptz,
        is_final boolean NOT NULL DEFAULT false,
        verification_method text,
        verified_at timestamptz,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain_id, token_id)
    )
    """,
    "CREATE INDEX registration_by_symbol ON registration (symbol, minted_at)",
    "CREATE INDEX registration_by_id ON registration (token_id, minted_at)",
    "CREATE INDEX registration_by_token ON registration (chain_id, token_address)",
    "CREATE INDEX registration_by_owner ON registration (owner)",
    """
    CREATE TABLE indexed_token (
        chain_id bigint NOT NULL,
        address text NOT NULL,
        symbol_key text NOT NULL,
        name text NOT NULL,
        decimals smallint,
        deployer text,
        deployed_at timestamptz,
        first_seen_at timestamptz NOT NULL,
        precedence integer NOT NULL,
        is_copy boolean NOT NULL,
        copy_of_chain_id bigint,
        copy_of_address text,
        copy_rule text,
        score numeric(5, 2),
        timestamp_score numeric(5, 2),
        volume_score numeric(5, 2),
        holders_score numeric(5, 2),
        confidence_score numeric(5, 2),
        weights_version integer,
        scored_at timestamptz,
        as_of_block bigint NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain_id, address)
    )
    """,
    # precedence orders the tokens of one symbol on one chain: 0 is the original.
    "CREATE INDEX indexed_token_by_symbol ON indexed_token (symbol_key, chain_id, precedence)",
    "CREATE INDEX indexed_token_at_risk ON indexed_token (score) WHERE score IS NOT NULL",
    """
    CREATE TABLE native_price (
        chain_id bigint PRIMARY KEY,
        price_usd numeric(38, 18) NOT NULL,
        source text NOT NULL,
        liquidity_usd numeric(38, 6),
        as_of_block bigint NOT NULL,
        as_of_time timestamptz NOT NULL
    )
    """,
    # -- accounts ------------------------------------------------------------------------------------------------
    """
    CREATE TABLE account (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        wallet text NOT NULL UNIQUE,
        plan text NOT NULL CHECK (plan IN ('free', 'pro', 'pro_plus', 'developer', 'partner', 'enterprise')),
        created_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    """
    CREATE TABLE api_key (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        account_id uuid NOT NULL REFERENCES account (id),
        name text NOT NULL,
        prefix text NOT NULL,
        key_hash bytea NOT NULL UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        revoked_at timestamptz
    )
    """,
    "CREATE INDEX api_key_by_account ON api_key (account_id)",
    # -- claims --------------------------------------------------------------------------------------------------
    """
    CREATE TABLE claim_proof (
        proof_hash text PRIMARY KEY,
        chain_id bigint NOT NULL,
        token_address text NOT NULL,
        symbol text NOT NULL,
        wallet text NOT NULL,
        verification_method text NOT NULL,
        methods_attempted text[] NOT NULL,
        signed_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    """
    CREATE TABLE claim_authorization (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        chain_id bigint NOT NULL,
        token_address text NOT NULL,
        symbol text NOT NULL,
        wallet text NOT NULL,
        proof_hash text NOT NULL REFERENCES claim_proof (proof_hash),
        verification_method text NOT NULL,
        nonce numeric(78, 0) NOT NULL,
        fee_wei numeric(78, 0) NOT NULL,
        price_usd numeric(18, 2) NOT NULL,
        deadline timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (chain_id, nonce)
    )
    """,
    "CREATE INDEX claim_authorization_by_token ON claim_authorization (chain_id, token_address, wallet)",
    # -- events --------------------------------------------------------------------------------------------------
    """
    CREATE TABLE event_log (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        type text NOT NULL,
        chain_id bigint,
        subject text NOT NULL,
        payload jsonb NOT NULL,
        dedupe_key text NOT NULL UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    "CREATE INDEX event_log_by_type ON event_log (type, created_at)",
)

TABLES = (
    "event_log",
    "claim_authorization",
    "claim_proof",
    "api_key",
    "account",
    "native_price",
    "indexed_token",
    "registration",
    "asset_run",
    "derive_checkpoint",
    "ingest_unit",
    "chain_checkpoint",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    for table in TABLES:
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP SEQUENCE publication_version_seq")
    op.execute("DROP SEQUENCE change_id_seq")
