"""Backups between servers of one's own: made from one pair of databases, restored to another."""

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixtures.buckets import BUCKET
from tests.fixtures.engine_rows import Rows, store_rows, warehouse_rows
from warehouse import advisory_locks, migrate, postgres
from warehouse.backup.clickhouse_copy import drop_databases
from warehouse.backup.create import BackupBusy, Made, Wanted, create
from warehouse.backup.manifest import DamagedBackup, Manifest
from warehouse.backup.repository import NoSuchBackup, Repository
from warehouse.backup.restore import Choice, NewerBackup, NotEmpty, ServiceRuns, restore
from warehouse.backup.sealed_keys import Secret, WrongSecret
from warehouse.clickhouse import Warehouse
from warehouse.embedded.layout import Layout
from warehouse.embedded.lifetime import in_use
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection, with_database
from warehouse.settings import EngineSettings
from warehouse.storage import open_storage

pytestmark = pytest.mark.slow

SECRET = Secret.of_passphrase("correct horse battery")
WITHOUT_KEYS = Wanted(None)
SIGNER_KEY = "5ecr37-0f-7h3-51gn3r"


@pytest.fixture
def urls(warehouse_url: str, store_url: str) -> EngineUrls:
    return EngineUrls(warehouse_url, store_url)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(open_storage(str(tmp_path / "backups")))


@pytest.fixture
def layout(data_dir: Path) -> Layout:
    layout = Layout.of(data_dir)
    layout.prepare()
    (layout.keys / "signer.key").write_text(SIGNER_KEY)
    (layout.metadata / "ab").mkdir(parents=True)
    (layout.metadata / "ab" / "cid-ab").write_text("a document")
    (layout.metadata / "incoming").mkdir()
    (layout.metadata / "incoming" / "half").write_text("hal")
    return layout


@pytest.fixture
def elsewhere(engines: EngineUrls, warehouse_server: Warehouse, tmp_path: Path) -> Iterator[EngineSettings]:
    """Servers with an empty database each, and another data directory."""
    name = f"restored_{secrets.token_hex(6)}"
    with postgres.connect(engines.database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield EngineSettings(
            data_dir=tmp_path / "elsewhere",
            clickhouse_url=f"{engines.clickhouse_url.rpartition('/')[0]}/{name}",
            database_url=with_database(engines.database_url, name),
        )
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    drop_databases(warehouse_server, name)


@pytest.fixture
def back_up(urls: EngineUrls, layout: Layout, repository: Repository) -> Callable[..., Made]:
    def make(wanted: Wanted = WITHOUT_KEYS, into: Repository = repository) -> Made:
        return create(urls, layout, into, lambda *_: nullcontext(), wanted)

    return make


def insert(warehouse: Warehouse, first: int, rows: int) -> None:
    warehouse.command(
        "INSERT INTO fact_transfer (chain_id, token, block_number, log_index, block_time, transaction_hash,"
        " from_address, to_address, amount_raw, unit_id) SELECT 8453, 't', {first:UInt64} + number, 0,"
        " toDateTime(1700000000), randomString(32), 'a', 'b', rand64(), {first:UInt64} FROM numbers({rows:UInt64})",
        {"first": first, "rows": rows},
    )


def add_account(store: Connection, wallet: str) -> None:
    store.execute("INSERT INTO account (wallet, plan) VALUES (%s, 'free')", (wallet,))


def contents(clickhouse_url: str, database_url: str) -> tuple[Rows, Rows]:
    with Warehouse.connect(clickhouse_url) as warehouse:
        return warehouse_rows(warehouse, migrate.database_of(clickhouse_url)), store_rows(database_url)


def contents_of(settings: EngineSettings) -> tuple[Rows, Rows]:
    return contents(settings.clickhouse_url or "", settings.database_url or "")


@pytest.mark.parametrize("kind", ["folder", "bucket"])
def test_a_full_backup_and_an_increment_are_restored_row_for_row(
    kind: str,
    request: pytest.FixtureRequest,
    back_up: Callable[..., Made],
    urls: EngineUrls,
    warehouse: Warehouse,
    store: Connection,
    layout: Layout,
    repository: Repository,
    elsewhere: EngineSettings,
    tmp_path: Path,
) -> None:
    if kind == "bucket":
        environment = request.getfixturevalue("s3_environment")
        repository = Repository(open_storage(f"s3://{BUCKET}/{tmp_path.name}", environment))
    insert(warehouse, 0, 20_000)
    add_account(store, "0x" + "aa" * 20)
    full = back_up(Wanted(SECRET), repository).manifest
    first = contents(urls.clickhouse_url, urls.database_url)
    insert(warehouse, 20_000, 10)
    add_account(store, "0x" + "bb" * 20)
    store.execute("INSERT INTO chain_checkpoint (chain_id, generation, block_number) VALUES (8453, 1, 77)")
    increment = back_up(Wanted(SECRET), repository).manifest
    second = contents(urls.clickhouse_url, urls.database_url)

    assert (full.warehouse.full, increment.warehouse.full) == (full.name, full.name)
    assert 0 < increment.new_bytes < full.new_bytes / 2
    assert increment.blocks == {"8453": 77}
    assert repository.names() == [full.name, increment.name]

    restore(elsewhere, repository, Choice(secret=SECRET))
    assert contents_of(elsewhere) == second
    assert migrate.apply(elsewhere.clickhouse_url or "", elsewhere.database_url or "").current
    restored = Layout.of(elsewhere.data_dir)
    assert (restored.keys / "signer.key").read_text() == SIGNER_KEY
    assert (restored.metadata / "ab" / "cid-ab").read_text() == "a document"
    assert [path.name for path in restored.metadata.rglob("*") if path.is_file()] == ["cid-ab"]

    if kind == "bucket":
        stored = [path for folder in ("backups", "objects", "warehouse") for path in repository.storage.sizes(folder)]
        for path in stored:  # such as ClickHouse's note of where the full backup is
            with repository.storage.reader(path) as stream:
                assert environment["AWS_SECRET_ACCESS_KEY"].encode() not in stream.read()
        return
    with pytest.raises(NotEmpty, match="PostgreSQL"):
        restore(elsewhere, repository, Choice(at=full.name, secret=SECRET))
    (restored.keys / "signer.key").write_text("a later one")
    restore(elsewhere, repository, Choice(at=full.name, secret=SECRET, force=True))
    assert contents_of(elsewhere) == first
    assert (restored.keys / "signer.key").read_text() == SIGNER_KEY
    (aside,) = restored.root.glob("replaced-*")
    assert (aside / "keys" / "signer.key").read_text() == "a later one"


def test_old_backups_go_and_what_newer_ones_need_stays(
    back_up: Callable[..., Made], warehouse: Warehouse, repository: Repository
) -> None:
    insert(warehouse, 0, 20_000)
    full = back_up().manifest
    second = back_up().manifest
    third = back_up(Wanted(None, keep=1))

    assert third.removed == [second.name]
    assert repository.names() == [full.name, third.manifest.name]
    for name in repository.names():
        repository.verify(repository.read(name), lambda _: None)

    another = back_up(Wanted(None, full=True, keep=1))
    assert another.removed == [full.name, third.manifest.name]
    files = {path for path, _ in repository.files(another.manifest)} | {f"backups/{another.manifest.name}.json"}
    assert set(repository.storage.sizes("")) == files


def test_an_increment_that_outgrew_its_full_backup_is_followed_by_a_full_one(
    back_up: Callable[..., Made], warehouse: Warehouse
) -> None:
    back_up()
    insert(warehouse, 0, 50_000)
    large = back_up().manifest
    next_one = back_up().manifest

    assert large.warehouse.full != large.name
    assert next_one.warehouse.full == next_one.name


def test_damage_is_found_before_anything_changes(
    back_up: Callable[..., Made], repository: Repository, elsewhere: EngineSettings, tmp_path: Path
) -> None:
    back_up()
    for kind in ("warehouse", "objects"):
        victim = max(path for path in (tmp_path / "backups" / kind).rglob("*") if path.is_file())
        whole = victim.read_bytes()
        for damaged in (whole[:-1] + bytes([whole[-1] ^ 1]), whole[:-1], None):
            if damaged is None:
                victim.unlink()
            else:
                victim.write_bytes(damaged)
            with pytest.raises(DamagedBackup, match=victim.name):
                restore(elsewhere, repository, Choice())
        victim.write_bytes(whole)
    assert not (elsewhere.data_dir / "restore.json").exists()
    assert not (elsewhere.data_dir / "metadata").exists()


def test_a_changed_or_newer_manifest_is_refused(
    back_up: Callable[..., Made], repository: Repository, elsewhere: EngineSettings, tmp_path: Path
) -> None:
    made = back_up().manifest
    path = tmp_path / "backups" / "backups" / f"{made.name}.json"
    path.write_text(path.read_text().replace('"publication": 0', '"publication": 1'))
    with pytest.raises(DamagedBackup, match="was changed"):
        restore(elsewhere, repository, Choice())
    path.write_text("{")
    with pytest.raises(DamagedBackup, match="is not a manifest"):
        repository.read()

    newer = replace(made, store=replace(made.store, revision="9999"))
    path.write_bytes(newer.encode())
    with pytest.raises(NewerBackup, match="store 9999"):
        restore(elsewhere, repository, Choice())
    path.write_bytes(replace(made, warehouse=replace(made.warehouse, migrations=(1, 9998))).encode())
    with pytest.raises(NewerBackup, match="warehouse 9998"):
        restore(elsewhere, repository, Choice())


def test_keys_are_left_out_only_by_choice(
    back_up: Callable[..., Made], repository: Repository, elsewhere: EngineSettings, tmp_path: Path
) -> None:
    back_up(Wanted(SECRET))
    assert not any(
        SIGNER_KEY.encode() in path.read_bytes() for path in (tmp_path / "backups").rglob("*") if path.is_file()
    )
    with pytest.raises(WrongSecret, match="holds keys"):
        restore(elsewhere, repository, Choice())
    with pytest.raises(WrongSecret, match="does not open"):
        restore(elsewhere, repository, Choice(secret=Secret.of_passphrase("another passphrase")))
    restore(elsewhere, repository, Choice(without_keys=True))
    assert not (elsewhere.data_dir / "keys" / "signer.key").exists()


def test_a_running_service_and_another_backup_are_refused(
    back_up: Callable[..., Made], store: Connection, repository: Repository, elsewhere: EngineSettings
) -> None:
    advisory_locks.acquire(store, advisory_locks.BACKUP)
    with pytest.raises(BackupBusy):
        back_up()
    advisory_locks.release(store, advisory_locks.BACKUP)
    with pytest.raises(NoSuchBackup, match="holds no backup"):
        restore(elsewhere, repository, Choice())
    back_up()
    with pytest.raises(NoSuchBackup, match="the newest is"):
        restore(elsewhere, repository, Choice(at="20200101T000000Z"))
    with in_use(Layout.of(elsewhere.data_dir).run), pytest.raises(ServiceRuns):
        restore(elsewhere, repository, Choice())


def test_a_backup_without_manifest_does_not_exist_and_its_remains_go(
    back_up: Callable[..., Made],
    repository: Repository,
    warehouse: Warehouse,
    layout: Layout,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    insert(warehouse, 0, 100)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Repository, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        back_up()
    assert repository.names() == []
    remains = {path.split("/")[1] for path in repository.storage.sizes("warehouse")}
    monkeypatch.undo()

    made = back_up().manifest
    assert {path.split("/")[1] for path in repository.storage.sizes("warehouse")} == {made.name} != remains
    assert not (layout.root / "backup.partial").exists()
    leftovers = warehouse.scalar("SELECT count() FROM system.databases WHERE endsWith(name, '_backup')")
    assert leftovers == 0


def test_a_manifest_survives_its_encoding(back_up: Callable[..., Made]) -> None:
    made = back_up(Wanted(SECRET)).manifest
    assert Manifest.decode(made.encode(), "here") == made
    assert json.loads(made.encode())["manifest"]["version"]
