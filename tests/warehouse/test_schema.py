"""The committed descriptions of both schemas."""

import re
from pathlib import Path

from warehouse import columns, schema, sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.plans import PLANS
from warehouse.postgres import Connection

ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_schema_is_what_the_migrations_make(store: Connection) -> None:
    committed = (sql.directory() / "store" / "schema.txt").read_text()
    assert schema.describe(store) == committed, "run `make schema` and review what changed"


def test_the_committed_columns_are_those_of_the_warehouse(warehouse: Warehouse) -> None:
    committed = (sql.directory() / "warehouse" / "schema.txt").read_text()
    assert columns.describe(warehouse) == committed, "run `make schema` and review what changed"


def test_columns_are_read_without_an_engine(store: Connection) -> None:
    found = columns.columns_of("fact_transfer")
    assert (found["chain_id"], found["amount_raw"]) == ("UInt32", "UInt256")
    for table in schema.tables(store):
        assert columns.columns_of(table), table
    assert columns.columns_of("account")["created_at"] == "timestamp with time zone"
    assert columns.columns_of("no_table") == {}


def test_a_changed_schema_is_noticed(store: Connection) -> None:
    before = schema.describe(store)
    with store.transaction(force_rollback=True):
        store.execute("ALTER TABLE account ALTER COLUMN plan SET DEFAULT 'free', ADD CHECK (plan <> ''), ADD note text")
        store.execute("CREATE INDEX account_by_plan ON account (plan)")
        added = set(schema.describe(store).splitlines()) - set(before.splitlines())
    assert added == {
        "  plan text NOT NULL DEFAULT 'free'::text",
        "  note text",
        "  account_plan_check1: CHECK ((plan <> ''::text))",
        "  account_by_plan: CREATE INDEX account_by_plan ON public.account USING btree (plan)",
    }


def test_every_table_is_described(store: Connection) -> None:
    described = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "store.md").read_text(), re.MULTILINE)
    assert sorted(described) == schema.tables(store)


def test_the_store_accepts_the_plans_there_are(store: Connection) -> None:
    check = "SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = 'account_plan_check'"
    row = store.execute(check).fetchone()
    assert row is not None
    assert tuple(re.findall(r"'(\w+)'", row["text"])) == PLANS
