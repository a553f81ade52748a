"""Exports to a folder and a bucket: what is written, what is kept, and what a killed one leaves."""

import hashlib
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars
import pytest

from tests.factories import mints
from tests.fixtures.buckets import BUCKET
from warehouse import migrate
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import stored_from_digits
from warehouse.engines import EngineUrls
from warehouse.errors import WarehouseError
from warehouse.export import ExportRefused, Wanted, attach_command, export, statements
from warehouse.export.manifest import Manifest
from warehouse.marts import MARTS
from warehouse.storage import FolderStorage, Storage, open_storage

pytestmark = pytest.mark.slow

TOKEN = "aa" * 20
ALICE, BOB = "0b" * 20, "0c" * 20
NOVEMBER, DECEMBER = "2023-11-14 22:13:20", "2023-12-02 00:00:00"
EVENTS = Wanted(("transfers", "blocks"))


@pytest.fixture
def urls(warehouse_url: str, store_url: str) -> EngineUrls:
    return EngineUrls(warehouse_url, store_url)


@pytest.fixture
def out(tmp_path: Path) -> FolderStorage:
    return FolderStorage(tmp_path / "out")


def publish(warehouse: Warehouse, chain_id: int, block: int, time: str, generation: int = 1) -> None:
    """Publish a chain up to a block of a time."""
    warehouse.command(
        "INSERT INTO raw_block (chain_id, block_number, block_hash, block_time) SELECT {chain:UInt32}, {block:UInt64},"
        " toString({block:UInt64}), toDateTime({time:String}, 'UTC')",
        {"chain": chain_id, "block": block, "time": time},
    )
    warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
        " SELECT {chain:UInt32}, {generation:UInt64}, {block:UInt64} + 1, 2",
        {"chain": chain_id, "block": block, "generation": generation},
    )


def transfer(
    warehouse: Warehouse, block: int, amount: int, time: str, chain_id: int = 8453, token: str = TOKEN, to: str = BOB
) -> None:
    warehouse.command(
        "INSERT INTO fact_transfer (chain_id, token, block_number, log_index, block_time, transaction_hash,"
        " from_address, to_address, amount_raw, unit_id)"
        " SELECT {chain:UInt32}, unhex({token:String}), {block:UInt64}, 0,"
        " toDateTime({time:String}, 'UTC'), unhex('ff'), unhex({a:String}), unhex({b:String}), {amount:UInt256}, 1",
        {"chain": chain_id, "token": token, "block": block, "a": ALICE, "b": to, "amount": amount, "time": time},
    )


@pytest.fixture
def filled(warehouse: Warehouse) -> None:
    """Base: a transfer in November, a large one in December, and one that is not published."""
    transfer(warehouse, 10, 5, NOVEMBER)
    transfer(warehouse, 11, 2**255, DECEMBER)
    transfer(warehouse, 12, 1, DECEMBER)
    publish(warehouse, 8453, 11, DECEMBER)


def ask(storage: FolderStorage, query: str) -> list[tuple[Any, ...]]:
    """Query the export with the setting of the printed command, from a process elsewhere."""
    code = (
        "import duckdb, json, sys\n"
        "with duckdb.connect(sys.argv[1], read_only=True) as database:\n"
        "    database.execute('SET enable_progress_bar = false')\n"
        "    database.execute('SET file_search_path = ?', [sys.argv[2]])\n"
        "    print(json.dumps(database.sql(sys.argv[3]).fetchall(), default=str))\n"
    )
    arguments = [str(storage.root / "regalia.duckdb"), str(storage.root), query]
    run = subprocess.run([sys.executable, "-c", code, *arguments], cwd="/", capture_output=True, text=True, check=True)
    return [tuple(row) for row in json.loads(run.stdout)]


def read_manifest(storage: Storage) -> Manifest:
    with storage.reader("export.json") as stream:
        manifest = Manifest.decode(stream.read())
    assert manifest is not None
    return manifest


@pytest.mark.usefixtures("filled")
def test_every_mart_is_written_by_chain_and_month_and_opens_from_anywhere(urls: EngineUrls, out: FolderStorage) -> None:
    manifest = export(urls, out)

    assert ask(out, "SELECT token, amount_raw, block_time FROM transfers ORDER BY block_number") == [
        (f"0x{TOKEN}", "5", "2023-11-14 22:13:20+00:00"),
        (f"0x{TOKEN}", str(2**255), "2023-12-02 00:00:00+00:00"),
    ]
    assert set(manifest.rows) == {mart.name for mart in MARTS}
    months = [partition.month for partition in manifest.marts["transfers"].partitions]
    assert months == ["2023-11", "2023-12"]
    assert manifest.marts["transfers"].last_blocks["8453"].number == 11
    assert f"'{out.root}/regalia.duckdb'" in attach_command(out)
    for mart in MARTS:
        assert ask(out, f"SELECT count(*) FROM {mart.name}") == [(manifest.rows[mart.name],)]
    files = [file for mart in manifest.marts.values() for part in mart.partitions for file in part.files]
    for file in files:
        content = (out.root / file.path).read_bytes()
        assert (file.bytes, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    first = polars.read_parquet(out.root / "transfers" / "chain_id=8453" / "month=2023-11")
    assert first["block_time"].to_list() == [datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)]
    assert "| `amount_raw` |" in (out.root / "README.md").read_text()


def test_addresses_of_solana_are_in_base58(urls: EngineUrls, warehouse: Warehouse, out: FolderStorage) -> None:
    mint, holder = mints.wallet("mint"), mints.wallet("holder")
    transfer(warehouse, 10, 5, NOVEMBER, mints.SOLANA, mint, holder)
    publish(warehouse, mints.SOLANA, 11, NOVEMBER)
    export(urls, out, EVENTS)

    found = ask(out, "SELECT token, to_address FROM transfers")
    assert found == [(stored_from_digits(mint), stored_from_digits(holder))]


@pytest.mark.usefixtures("filled")
def test_since_a_version_only_what_changed_is_written(
    urls: EngineUrls, warehouse: Warehouse, out: FolderStorage
) -> None:
    warehouse.command("INSERT INTO serve_publication SELECT 7, now64(3, 'UTC'), map()")
    first = export(urls, out, EVENTS)
    again = export(urls, out, Wanted(EVENTS.marts, since=7))
    assert again.written == 0
    assert read_manifest(out).marts == again.marts == first.marts

    publish(warehouse, 8453, 13, DECEMBER, generation=2)
    later = export(urls, out, Wanted(("transfers",), since=7))
    assert later.written == 1
    assert later.marts["transfers"].partitions[0] == first.marts["transfers"].partitions[0]
    assert ask(out, "SELECT count(*) FROM transfers") == [(3,)]
    assert ask(out, "SELECT count(*) FROM blocks") == [(1,)]
    on_disk = {path.relative_to(out.root).as_posix() for path in out.root.rglob("*.parquet")}
    assert on_disk == {path for mart in later.marts.values() for path in mart.paths}

    warehouse.command("DELETE FROM raw_block WHERE block_number = 13")
    warehouse.command("DELETE FROM fact_transfer WHERE block_number = 10")
    publish(warehouse, 8453, 14, DECEMBER, generation=3)
    reorganised = export(urls, out, Wanted(("transfers",), since=7))
    assert [partition.month for partition in reorganised.marts["transfers"].partitions] == ["2023-12"]
    with pytest.raises(ExportRefused, match="has version 7"):
        export(urls, out, Wanted(since=6))


@pytest.mark.usefixtures("filled")
def test_a_bucket_holds_the_same(urls: EngineUrls, s3_environment: dict[str, str], tmp_path: Path) -> None:
    bucket = open_storage(f"s3://{BUCKET}/{tmp_path.name}", s3_environment)
    manifest = export(urls, bucket, EVENTS)
    export(urls, bucket, Wanted(EVENTS.marts, since=0))

    assert read_manifest(bucket).marts == manifest.marts
    assert {path for path in bucket.sizes("") if path.endswith(".parquet")} == {
        path for mart in manifest.marts.values() for path in mart.paths
    }
    (tmp_path / "one.parquet").write_bytes(_read(bucket, manifest.marts["transfers"].paths[0]))
    assert polars.read_parquet(tmp_path / "one.parquet")["amount_raw"].to_list() == ["5"]
    assert f"s3://{BUCKET}/{tmp_path.name}/transfers/" in _read(bucket, "views.sql").decode()


def _read(storage: Storage, path: str) -> bytes:
    with storage.reader(path) as stream:
        content: bytes = stream.read()
    return content


def test_large_marts_stream_into_several_files(
    urls: EngineUrls, warehouse: Warehouse, out: FolderStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warehouse.export.parquet.FILE_ROWS", 500_000)
    warehouse.command(
        "INSERT INTO raw_block (chain_id, block_number, block_hash, block_time)"
        " SELECT 1, number, 'x', toDateTime(1700000000) FROM numbers(700000)"
    )
    publish(warehouse, 1, 700_000, NOVEMBER)
    manifest = export(urls, out, Wanted(("blocks",)))

    assert len(manifest.marts["blocks"].paths) == 2
    assert ask(out, "SELECT count(*), sum(block_number) FROM blocks") == [(700_001, 244_999_650_000 + 700_000)]
    with duckdb.connect() as database:
        counted = database.execute(
            "SELECT sum(num_rows) FROM parquet_file_metadata(?)", [f"{out.root}/blocks/*/*/*.parquet"]
        ).fetchone()
    assert counted == (700_001,)


@pytest.mark.usefixtures("filled")
def test_a_failed_export_leaves_the_earlier_one(
    urls: EngineUrls, warehouse: Warehouse, out: FolderStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(urls, out, EVENTS)
    before = ask(out, "SELECT * FROM transfers ORDER BY block_number")
    whole = statements.rows
    monkeypatch.setattr(
        statements, "rows", lambda mart, *given: whole(mart, *given) if mart.name == "transfers" else "SELECT nothing"
    )
    with pytest.raises(WarehouseError, match="nothing"):
        export(urls, out, EVENTS)
    assert ask(out, "SELECT * FROM transfers ORDER BY block_number") == before
    monkeypatch.undo()
    manifest = export(urls, out, EVENTS)
    assert len(list(out.root.rglob("*.parquet"))) == sum(len(mart.paths) for mart in manifest.marts.values())


@pytest.mark.usefixtures("filled")
def test_an_export_starts_again_after_a_reorganisation(
    urls: EngineUrls, warehouse: Warehouse, out: FolderStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = statements.rows

    def reorganised(*given: Any) -> str:
        """The first time, the last block is replaced under the export's hands."""
        monkeypatch.setattr(statements, "rows", whole)
        warehouse.command("DELETE FROM raw_block WHERE block_number = 11")
        warehouse.command(
            "INSERT INTO raw_block (chain_id, block_number, block_hash, block_time)"
            " SELECT 8453, 11, 'other', toDateTime({time:String}, 'UTC')",
            {"time": DECEMBER},
        )
        return whole(*given)

    monkeypatch.setattr(statements, "rows", reorganised)
    manifest = export(urls, out, EVENTS)

    other = b"other".hex().upper()
    assert manifest.marts["blocks"].last_blocks["8453"].hash == other
    assert ask(out, "SELECT block_hash FROM blocks") == [(f"0x{other.lower()}",)]


def test_what_is_not_an_export_or_a_mart_is_refused(urls: EngineUrls, out: FolderStorage, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(ExportRefused, match="holds no export"):
        export(urls, FolderStorage(tmp_path))
    assert (tmp_path / "mine").read_text() == "precious"
    with pytest.raises(ExportRefused, match="no mart candles"):
        export(urls, out, Wanted(("candles",)))
    with pytest.raises(ExportRefused, match="holds no export"):
        export(urls, out, Wanted(since=3))
    assert migrate.status(urls.clickhouse_url, urls.database_url).current
