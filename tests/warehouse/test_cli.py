import os
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.engines import EngineUrls


def run(*arguments: str, data_dir: Path, urls: EngineUrls | None = None) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "REGALIA_DATA_DIR": str(data_dir)}
    for name, value in (
        ("REGALIA_CLICKHOUSE_URL", urls.clickhouse_url if urls else ""),
        ("REGALIA_DATABASE_URL", urls.database_url if urls else ""),
    ):
        environment[name] = value
    return subprocess.run(
        [sys.executable, "-m", "warehouse", *arguments], env=environment, capture_output=True, text=True, timeout=240
    )


@pytest.mark.slow
def test_status_shows_the_engines_urls_without_passwords(warehouse_url: str, store_url: str, data_dir: Path) -> None:
    shown = run("status", data_dir=data_dir, urls=EngineUrls(warehouse_url, store_url))

    assert shown.returncode == 0, shown.stderr
    assert "warehouse: http://regalia:***@127.0.0.1" in shown.stdout
    assert "warehouse 0001_chain_facts: applied" in shown.stdout
    assert "pending" not in shown.stdout


def test_status_says_in_one_line_that_nothing_runs(data_dir: Path) -> None:
    shown = run("status", data_dir=data_dir)

    assert shown.returncode == 3
    assert shown.stderr.splitlines() == [f"error: no engines run in {data_dir}, and no URLs are set"]


def test_a_dry_run_without_pending_migrations_says_so(warehouse_url: str, store_url: str, data_dir: Path) -> None:
    shown = run("migrate", "--dry-run", data_dir=data_dir, urls=EngineUrls(warehouse_url, store_url))

    assert (shown.returncode, shown.stdout) == (0, "nothing to do\n")


def test_the_status_of_migrations_is_shown_without_running_them(
    warehouse_url: str, store_url: str, data_dir: Path
) -> None:
    shown = run("migrate", "--status", data_dir=data_dir, urls=EngineUrls(warehouse_url, store_url))

    assert shown.returncode == 0, shown.stderr
    assert "warehouse 0001_chain_facts: applied" in shown.stdout
    assert "pending" not in shown.stdout


@pytest.mark.slow
def test_an_export_counts_its_rows(warehouse_url: str, store_url: str, data_dir: Path, tmp_path: Path) -> None:
    urls = EngineUrls(warehouse_url, store_url)
    shown = run("export", "--mart", "transfers", "--out", str(tmp_path / "out"), data_dir=data_dir, urls=urls)
    refused = run("export", "--out", str(tmp_path), data_dir=data_dir, urls=urls)

    assert shown.returncode == 0
    assert shown.stdout.startswith(f"0 rows in {tmp_path / 'out'}, version 0: ")
    assert f"{tmp_path / 'out'}/regalia.duckdb" in shown.stdout
    assert "exported transfers: 0 rows" in shown.stderr
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
