"""``python -m indexer`` as a process."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from indexer.devchain.world import World
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs commands against the test's engines and chain."""

    environment: dict[str, str]
    chains: Path

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "indexer", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=240,
        )


@pytest.fixture
def shell(archive_world: World, tmp_path: Path, warehouse_url: str, store_url: str) -> Shell:
    chains = tmp_path / "chains.toml"
    chains.write_text(archive_world.chain_toml())
    urls = {"REGALIA_CLICKHOUSE_URL": warehouse_url, "REGALIA_DATABASE_URL": store_url}
    environment = os.environ | urls | {"REGALIA_CHAINS": str(chains), "REGALIA_DATA_DIR": str(tmp_path / "data")}
    return Shell(environment, chains)


def test_index_reports_what_it_did_and_rewind_reverts_it(shell: Shell, warehouse: Warehouse) -> None:
    done = shell.run("index", "--chain", "base", "--to", "100")
    assert (done.returncode, done.stderr) == (0, "")
    assert "now at block 100" in done.stdout
    assert warehouse.scalar("SELECT max(block_number) FROM raw_block") == 100
    assert shell.run("index", "--chain", "base", "--rewind", "0").returncode == 0
    assert warehouse.scalar("SELECT count() FROM raw_block") == 0
    balances = "SELECT sum(delta_raw) AS delta FROM agg_balance_day GROUP BY token, wallet HAVING delta != 0"
    assert warehouse.scalar(f"SELECT count() FROM ({balances})") == 0


def test_rewinding_while_another_writer_works_is_refused(shell: Shell, store: Connection) -> None:
    store.execute("SELECT pg_advisory_lock(821, 8453)")
    done = shell.run("index", "--chain", "base", "--rewind", "0")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "error: chain base: another indexer is at work\n"


def test_wrong_use_prints_one_line_and_exits_with_2(shell: Shell) -> None:
    for arguments, reason in (
        (["index", "--chain", "nowhere"], "not known"),
        (["index", "--chain", "eth"], "no rpc_urls"),
        (["index", "--follow", "--to", "5"], "--follow"),
    ):
        done = shell.run(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert reason in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_node_of_another_chain_is_refused(shell: Shell, warehouse: Warehouse) -> None:
    shell.chains.write_text(shell.chains.read_text().replace("chain_id = 8453", "chain_id = 10"))
    done = shell.run("index", "--chain", "base")
    assert done.returncode == 2
    assert "8453" in done.stderr
    assert warehouse.scalar("SELECT count() FROM raw_block") == 0
