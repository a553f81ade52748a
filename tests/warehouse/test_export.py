import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.factories import mints
from warehouse import export as export_module
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import AddressFormat, hash_text, stored_from_digits
from warehouse.engines import EngineUrls
from warehouse.errors import WarehouseUnavailable
from warehouse.export import MARTS, ExportRefused, export

pytestmark = pytest.mark.slow

TOKEN = "aa" * 20
ALICE, BOB = "0b" * 20, "0c" * 20


@pytest.fixture
def urls(warehouse_url: str, store_url: str) -> EngineUrls:
    return EngineUrls(warehouse_url, store_url)


def mark(warehouse: Warehouse, chain_id: int, next_block: int) -> None:
    warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
        " SELECT {chain_id:UInt32}, 1, {next_block:UInt64}, 2",
        {"chain_id": chain_id, "next_block": next_block},
    )


@pytest.fixture
def filled(warehouse: Warehouse) -> None:
    """One chain: three transfers, the last of a unit that is summed but not published; two versions of a token, one of
    another."""
    mark(warehouse, 8453, 12)
    for block, amount in ((10, 5), (11, 2**255), (12, 1)):
        warehouse.command(
            "INSERT INTO fact_transfer (chain_id, token, block_number, log_index, block_time, transaction_hash, "
            "from_address, to_address, amount_raw, unit_id) SELECT 8453, unhex({token:String}), {block:UInt64}, 0, "
            "toDateTime(1700000000, 'UTC'), unhex('ff'), unhex({a:String}), unhex({b:String}), {amount:UInt256}, "
            "if({block:UInt64} > 11, 2, 1)",
            {"token": TOKEN, "block": block, "a": ALICE, "b": BOB, "amount": amount},
        )
    for unit in (1, 2):
        warehouse.command(
            "INSERT INTO agg_balance_day SELECT 8453, '', unhex(leftPad(hex({unit:UInt64}), 16, '0')), toDate(0), 1",
            {"unit": unit},
        )
    for wallet, delta in ((ALICE, 7), (ALICE, -7), (BOB, 3), (BOB, 4), (ALICE, -1), (BOB, 1)):
        warehouse.command(
            "INSERT INTO agg_balance_day SELECT 8453, unhex({token:String}), unhex({wallet:String}), toDate(19000), "
            "{delta:Int256}",
            {"token": TOKEN, "wallet": wallet, "delta": delta},
        )
    for symbol, version, deleted in (("OLD", 1, 0), ("OLD", 2, 1), ("NEW", 2, 0), ("NEW", 1, 0), ("LATER", 3, 0)):
        warehouse.command(
            "INSERT INTO serve_token (symbol_key, symbol, chain_id, address, version, deleted, holders, price_usd) "
            "SELECT {symbol:String}, {symbol:String}, 8453, unhex({token:String}), {version:UInt64}, "
            "{deleted:UInt8}, {version:UInt64} * 10, toDecimal256('0.000000000000000001', 36)",
            {"symbol": symbol, "version": version, "deleted": deleted, "token": TOKEN},
        )
    warehouse.command("INSERT INTO serve_publication SELECT 2, now64(3, 'UTC'), map()")


def view(out: Path, query: str) -> list[tuple[Any, ...]]:
    """Query the export as a reader does: from a process in its folder."""
    code = (
        "import duckdb, json, sys\n"
        "with duckdb.connect('regalia.duckdb') as database:\n"
        "    print(json.dumps(database.sql(sys.argv[1]).fetchall(), default=str))\n"
    )
    run = subprocess.run([sys.executable, "-c", code, query], cwd=out, capture_output=True, text=True, check=True)
    return [tuple(row) for row in json.loads(run.stdout)]


@pytest.mark.usefixtures("filled")
def test_views_show_what_is_published(urls: EngineUrls, tmp_path: Path) -> None:
    out = tmp_path / "out"
    manifest = export(urls, out)

    assert view(out, "SELECT chain_id, token, from_address, amount_raw FROM transfers ORDER BY block_number") == [
        (8453, f"0x{TOKEN}", f"0x{ALICE}", "5"),
        (8453, f"0x{TOKEN}", f"0x{ALICE}", str(2**255)),
    ]
    assert view(out, "SELECT wallet, balance_raw FROM holders") == [(f"0x{BOB}", "7")]
    assert view(out, "SELECT symbol, holders, price_usd FROM tokens") == [("NEW", 20, "1.000000E-18")]
    assert manifest.last_blocks == {8453: 11}
    assert json.loads((out / "export.json").read_text())["rows"] == manifest.rows
    assert manifest.rows["transfers"] == 2


def test_solana_is_exported_in_base58(urls: EngineUrls, warehouse: Warehouse, tmp_path: Path) -> None:
    mark(warehouse, mints.SOLANA, 12)
    mint, holder = mints.wallet("mint"), mints.wallet("holder")
    warehouse.command(
        "INSERT INTO fact_transfer (chain_id, token, block_number, log_index, block_time, transaction_hash,"
        " from_address, to_address, amount_raw, unit_id) SELECT {chain:UInt32}, unhex({mint:String}), 10, 4096,"
        " toDateTime(1700000000, 'UTC'), unhex({signature:String}), repeat('\\0', 20), unhex({holder:String}), 5, 1",
        {"chain": mints.SOLANA, "mint": mint, "holder": holder, "signature": bytes(range(64)).hex()},
    )
    warehouse.command(
        "INSERT INTO serve_token (symbol_key, chain_id, address, version, program, mint_authority, trust_flags)"
        " SELECT 'LUMEN', {chain:UInt32}, unhex({mint:String}), 1, 'spl_token', unhex({holder:String}),"
        " ['freezable', 'mintable']",
        {"chain": mints.SOLANA, "mint": mint, "holder": holder},
    )
    warehouse.command("INSERT INTO serve_publication SELECT 1, now64(3, 'UTC'), map()")
    export(urls, tmp_path / "out")
    assert view(tmp_path / "out", "SELECT token, to_address, transaction_hash FROM transfers") == [
        (stored_from_digits(mint), stored_from_digits(holder), hash_text(bytes(range(64)).hex(), AddressFormat.BASE58))
    ]
    shown = "SELECT address, program, mint_authority, freeze_authority, trust_flags FROM tokens"
    assert view(tmp_path / "out", shown) == [
        (stored_from_digits(mint), "spl_token", stored_from_digits(holder), "", "freezable,mintable")
    ]


@pytest.mark.usefixtures("filled")
def test_an_export_can_be_moved_and_replaces_an_earlier_one(urls: EngineUrls, tmp_path: Path) -> None:
    export(urls, tmp_path / "first")
    export(urls, tmp_path / "first")
    (tmp_path / "first").rename(tmp_path / "moved")

    assert view(tmp_path / "moved", "SELECT count(*) FROM transfers") == [(2,)]
    assert [path.name for path in tmp_path.iterdir()] == ["moved"]


def test_an_empty_warehouse_exports_empty_views(urls: EngineUrls, tmp_path: Path) -> None:
    manifest = export(urls, tmp_path / "out")

    assert set(manifest.rows) == set(MARTS)
    for mart in MARTS:
        assert view(tmp_path / "out", f"SELECT count(*) FROM {mart}") == [(0,)]


def test_large_marts_stream_into_several_row_groups(
    urls: EngineUrls, warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warehouse.export.FILE_ROWS", 500_000)
    mark(warehouse, 1, 1_000_001)
    warehouse.command(
        "INSERT INTO raw_block (chain_id, block_number, block_hash) SELECT 1, number, 'x' FROM numbers(700000)"
    )
    export(urls, tmp_path / "out")

    parts = sorted((tmp_path / "out" / "blocks" / "chain_id=1").iterdir())
    assert [path.name for path in parts] == ["part-00000.parquet", "part-00001.parquet"]
    with duckdb.connect() as database:
        files = f"'{tmp_path}/out/blocks/*/*.parquet'"
        groups = database.sql(
            f"SELECT num_row_groups FROM parquet_file_metadata({files}) ORDER BY file_name"
        ).fetchall()
        rows = database.sql(f"SELECT count(*), sum(block_number) FROM {files}").fetchall()
    assert groups[0][0] > 1
    assert rows == [(700_000, 244_999_650_000)]


@pytest.mark.usefixtures("filled")
def test_the_manifest_counts_the_rows_of_the_files(urls: EngineUrls, tmp_path: Path) -> None:
    manifest = export(urls, tmp_path / "o'ut")

    with duckdb.connect() as database:
        for mart in MARTS:
            files = f"{tmp_path}/o'ut/{mart}/*/*.parquet"
            counted = database.execute("SELECT sum(num_rows) FROM parquet_file_metadata(?)", [files]).fetchone()
            assert counted == (manifest.rows[mart],)


def test_an_engine_that_fails_midway_leaves_nothing(
    urls: EngineUrls, warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark(warehouse, 1, 3_000_001)
    warehouse.command(
        "INSERT INTO raw_block (chain_id, block_number, block_hash) SELECT 1, number, 'x' FROM numbers(3000000)"
    )
    load = sql.load
    failing = "SELECT block_number, throwIf(block_number > 2500000) AS failed FROM raw_block ORDER BY block_number"
    monkeypatch.setattr("warehouse.sql.load", lambda name: failing if name == "export/blocks" else load(name))
    with pytest.raises(WarehouseUnavailable, match="broke off"):
        export(urls, tmp_path / "out")

    assert list(tmp_path.iterdir()) == []


def test_an_export_starts_again_after_a_reorganisation(
    urls: EngineUrls, warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark(warehouse, 1, 3)
    for number in range(3):
        warehouse.command(f"INSERT INTO raw_block (chain_id, block_number, block_hash) SELECT 1, {number}, 'first'")

    def progress(*_: Any) -> Any:  # the first time, the last block is replaced under the export's hands
        monkeypatch.setattr("warehouse.export._progress", untouched)
        warehouse.command("DELETE FROM raw_block WHERE block_number = 2")
        warehouse.command("INSERT INTO raw_block (chain_id, block_number, block_hash) SELECT 1, 2, 'other'")
        return untouched(0, False)

    untouched = export_module._progress
    monkeypatch.setattr("warehouse.export._progress", progress)
    export(urls, tmp_path / "out")

    other = "0x" + b"other".hex()
    assert view(tmp_path / "out", "SELECT block_hash FROM blocks WHERE block_number = 2") == [(other,)]


def test_refuses_a_folder_that_is_no_export(urls: EngineUrls, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(ExportRefused):
        export(urls, tmp_path)

    assert (tmp_path / "mine").read_text() == "precious"


def test_a_failed_export_leaves_nothing(urls: EngineUrls, warehouse: Warehouse, tmp_path: Path) -> None:
    warehouse.command("DROP TABLE fact_swap")
    with pytest.raises(Exception, match="fact_swap"):
        export(urls, tmp_path / "out")

    assert list(tmp_path.iterdir()) == []
