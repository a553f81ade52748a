"""The public history of registrations: a hash-chained log, fed by the event log in the transaction of each event."""

from alembic import op

revision = "0013"
down_revision = "0011"
branch_labels = None
depends_on = None

TYPES = "'token.minted', 'token.released', 'token.expired', 'profile.updated'"

STATEMENTS = (
    """
    CREATE TABLE registration_history (
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        sequence bigint NOT NULL,
        type text NOT NULL,
        at timestamptz NOT NULL,
        data jsonb NOT NULL,
        previous_hash text NOT NULL,
        hash text NOT NULL,
        event_key text NOT NULL UNIQUE,
        PRIMARY KEY (chain_id, token_id, sequence)
    )
    """,
    # The last link of each chain; whoever appends holds its row, so that no two links follow the same one.
    """
    CREATE TABLE registration_history_head (
        chain_id bigint NOT NULL,
        token_id bigint NOT NULL,
        sequence bigint NOT NULL DEFAULT 0,
        hash text NOT NULL DEFAULT repeat('0', 64),
        PRIMARY KEY (chain_id, token_id)
    )
    """,
    # RFC 8785 for what events hold: text, whole numbers, true, false, null, and lists and objects of them. Member
    # names are ASCII, for which order by byte is order by UTF-16 unit.
    """
    CREATE FUNCTION canonical_json(value jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
    BEGIN
        CASE jsonb_typeof(value)
        WHEN 'object' THEN
            RETURN '{' || COALESCE((
                SELECT string_agg(to_json(key)::text || ':' || canonical_json(member), ',' ORDER BY key COLLATE "C")
                FROM jsonb_each(value) AS members (key, member)
            ), '') || '}';
        WHEN 'array' THEN
            RETURN '[' || COALESCE((
                SELECT string_agg(canonical_json(item), ',' ORDER BY place)
                FROM jsonb_array_elements(value) WITH ORDINALITY AS items (item, place)
            ), '') || ']';
        ELSE
            RETURN value::text;
        END CASE;
    END
    $$
    """,
    """
    CREATE FUNCTION append_registration_history(
        of_chain bigint, of_token bigint, event_type text, happened_at timestamptz, event_data jsonb, key text
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
        head registration_history_head;
        link text;
    BEGIN
        INSERT INTO registration_history_head (chain_id, token_id) VALUES (of_chain, of_token) ON CONFLICT DO NOTHING;
        SELECT * INTO head FROM registration_history_head
        WHERE chain_id = of_chain AND token_id = of_token FOR UPDATE;
        -- An event that the log forgot and that is told again stays where it is. Looked up with the head held: whoever
        -- appended it has committed.
        IF EXISTS (SELECT FROM registration_history WHERE event_key = key) THEN
            RETURN;
        END IF;
        link := encode(sha256(convert_to(canonical_json(jsonb_build_object(
            'chainId', of_chain, 'tokenId', of_token::text, 'sequence', head.sequence + 1, 'type', event_type,
            'at', to_char(happened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'data', event_data, 'previousHash', head.hash
        )), 'UTF8')), 'hex');
        INSERT INTO registration_history
        VALUES (of_chain, of_token, head.sequence + 1, event_type, happened_at, event_data, head.hash, link, key);
        UPDATE registration_history_head SET sequence = head.sequence + 1, hash = link
        WHERE chain_id = of_chain AND token_id = of_token;
    END
    $$
    """,
    """
    CREATE FUNCTION chain_event_into_history() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM append_registration_history(
            NEW.chain_id, NEW.token_id, NEW.type, NEW.created_at, NEW.payload, NEW.dedupe_key
        );
        RETURN NULL;
    END
    $$
    """,
    f"""
    CREATE TRIGGER event_log_into_history AFTER INSERT ON event_log FOR EACH ROW
    WHEN (NEW.token_id IS NOT NULL AND NEW.chain_id IS NOT NULL AND NEW.account_id IS NULL AND NEW.type IN ({TYPES}))
    EXECUTE FUNCTION chain_event_into_history()
    """,
    # What was said stays said.
    """
    CREATE FUNCTION refuse_change_of_history() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the history of registrations is only added to';
    END
    $$
    """,
    """
    CREATE TRIGGER registration_history_is_kept BEFORE UPDATE OR DELETE ON registration_history
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_history()
    """,
    # What happened before there was a history, in the order in which it was recorded.
    f"""
    DO $$
    DECLARE
        event record;
    BEGIN
        FOR event IN
            SELECT * FROM event_log
            WHERE token_id IS NOT NULL AND chain_id IS NOT NULL AND account_id IS NULL AND type IN ({TYPES})
            ORDER BY id
        LOOP
            PERFORM append_registration_history(
                event.chain_id, event.token_id, event.type, event.created_at, event.payload, event.dedupe_key
            );
        END LOOP;
    END
    $$
    """,  # noqa: S608 - the types are those above
)


def upgrade() -> None:
    """Make the log, and chain what is known into it."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TRIGGER event_log_into_history ON event_log")
    op.execute("DROP FUNCTION chain_event_into_history()")
    op.execute("DROP FUNCTION append_registration_history(bigint, bigint, text, timestamptz, jsonb, text)")
    op.execute("DROP TABLE registration_history")
    op.execute("DROP TABLE registration_history_head")
    op.execute("DROP FUNCTION refuse_change_of_history()")
    op.execute("DROP FUNCTION canonical_json(jsonb)")
