import secrets
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from warehouse import advisory_locks, migrate, postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.errors import MigrationError
from warehouse.migrate import WarehouseMigration
from warehouse.postgres import Connection, with_database


@pytest.fixture
def empty(engines: EngineUrls, warehouse_server: Warehouse) -> Iterator[EngineUrls]:
    """Databases without any table; the warehouse's does not exist."""
    name = f"empty_{secrets.token_hex(6)}"
    with postgres.connect(engines.database_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield EngineUrls(
            f"{engines.clickhouse_url.rpartition('/')[0]}/{name}", with_database(engines.database_url, name)
        )
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    warehouse_server.command(f"DROP DATABASE IF EXISTS {name}")


def test_a_dry_run_prints_the_statements_and_changes_nothing(empty: EngineUrls, warehouse_server: Warehouse) -> None:
    plan = migrate.plan(empty.clickhouse_url, empty.database_url)

    assert plan[0] == "-- warehouse 0001_chain_facts"
    assert any("CREATE TABLE fact_transfer" in line for line in plan)
    assert "-- store 0001 (Alembic)" in plan
    database = empty.clickhouse_url.rpartition("/")[2]
    exists = "SELECT count() FROM system.databases WHERE name = {name:String}"
    assert warehouse_server.scalar(exists, {"name": database}) == 0


def test_migrations_are_applied_once_and_recorded(empty: EngineUrls) -> None:
    before = migrate.apply(empty.clickhouse_url, empty.database_url)
    again = migrate.apply(empty.clickhouse_url, empty.database_url)

    assert before.store_revision is None
    assert before.warehouse_pending[0] == "0001_chain_facts"
    assert again.current
    assert again.warehouse_applied == before.warehouse_pending
    assert migrate.plan(empty.clickhouse_url, empty.database_url) == []


def test_two_migrators_at_once_are_safe(empty: EngineUrls) -> None:
    found: list[migrate.Status] = []
    threads = [
        threading.Thread(target=lambda: found.append(migrate.apply(empty.clickhouse_url, empty.database_url)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(state.current for state in found) == [False, True]


def test_a_migration_changed_after_it_was_applied_is_an_error(
    warehouse: Warehouse, warehouse_url: str, store_url: str
) -> None:
    warehouse.command("ALTER TABLE schema_migration UPDATE checksum = 'x' WHERE number = 1 SETTINGS mutations_sync = 1")

    with pytest.raises(MigrationError, match="0001_chain_facts was changed"):
        migrate.status(warehouse_url, store_url)


def test_a_database_newer_than_the_code_is_an_error(
    warehouse: Warehouse, warehouse_url: str, store: Connection, store_url: str
) -> None:
    store.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(MigrationError, match="9999"):
        migrate.status(warehouse_url, store_url)
    warehouse.command("INSERT INTO schema_migration (number, name, checksum) SELECT 9999, 'later', 'x'")
    with pytest.raises(MigrationError, match="9999"):
        migrate.status(warehouse_url, store_url)


def test_the_next_run_finishes_an_interrupted_migration(empty: EngineUrls) -> None:
    migrate.apply(empty.clickhouse_url, empty.database_url)
    with Warehouse.connect(empty.clickhouse_url) as warehouse:
        warehouse.command("ALTER TABLE schema_migration DELETE WHERE number > 1 SETTINGS mutations_sync = 1")
        warehouse.command("DROP TABLE serve_symbol")

    migrate.apply(empty.clickhouse_url, empty.database_url)

    assert migrate.status(empty.clickhouse_url, empty.database_url).current
    with Warehouse.connect(empty.clickhouse_url) as warehouse:
        assert warehouse.scalar("SELECT count() FROM serve_symbol") == 0


def test_existing_facts_are_moved_into_months_while_no_indexer_writes(
    empty: EngineUrls, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = migrate.warehouse_migrations()
    monkeypatch.setattr(migrate, "_WRITER_WAIT_SECONDS", 0.1)
    monkeypatch.setattr(migrate, "warehouse_migrations", lambda: [one for one in known if one.number < 20])
    migrate.apply(empty.clickhouse_url, empty.database_url)
    monkeypatch.setattr(migrate, "warehouse_migrations", lambda: known)
    digest = "SELECT count() AS n, sum(sipHash64(*)) AS rows FROM fact_transfer"
    with (
        Warehouse.connect(empty.clickhouse_url) as warehouse,
        postgres.connect(empty.database_url, autocommit=True) as indexer,
    ):
        warehouse.command(
            "INSERT INTO fact_transfer (chain_id, token, block_number, block_time, unit_id) SELECT 1 + number % 2,"
            " toString(number % 50), number, toDateTime('2025-01-01', 'UTC') + 86400 * number, number FROM numbers(900)"
        )
        before = warehouse.rows(digest)
        warehouse.command("CREATE TABLE _tmp_replace_left AS fact_transfer")  # by a copy that was killed
        indexer.execute("INSERT INTO chain_checkpoint (chain_id, generation) VALUES (1, 0)")
        advisory_locks.acquire(indexer, advisory_locks.writer_of(1))
        with pytest.raises(MigrationError, match="chain 1 is being indexed"):
            migrate.apply(empty.clickhouse_url, empty.database_url)
        advisory_locks.release(indexer, advisory_locks.writer_of(1))
        for _ in range(2):  # the second time as if the first had died before it was recorded
            migrate.apply(empty.clickhouse_url, empty.database_url)
            assert warehouse.rows(digest) == before
            months = "SELECT uniqExact(partition) FROM system.parts WHERE database = currentDatabase() AND active"
            assert warehouse.scalar(f"{months} AND table = 'fact_transfer'") == 60
            warehouse.command("ALTER TABLE schema_migration DELETE WHERE number = 20 SETTINGS mutations_sync = 1")
        left = "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name LIKE '%tmp_replace%'"
        assert warehouse.scalar(left) == 0


def test_statements_end_at_semicolons_that_end_a_line() -> None:
    text = "-- why; because\nCREATE TABLE a (x String DEFAULT ';');\n\n-- a note;\nCREATE TABLE b (y UInt8);\n-- end\n"

    statements = WarehouseMigration(1, "x", text).statements()

    assert [statement.splitlines()[-1][:14] for statement in statements] == ["CREATE TABLE a", "CREATE TABLE b"]


@pytest.mark.parametrize("names", [("0001_a.sql", "0001_b.sql"), ("first.sql",)])
def test_two_migrations_cannot_have_one_number(tmp_path: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (tmp_path / name).touch()

    with pytest.raises(MigrationError):
        migrate.warehouse_migrations(tmp_path)


def test_the_stores_revisions_follow_the_numbers_of_their_files() -> None:
    config = Config()
    config.set_main_option("script_location", str(sql.directory() / "store"))
    known = ScriptDirectory.from_config(config).walk_revisions()
    assert migrate.store_revisions() == [revision.revision for revision in reversed(list(known))]
