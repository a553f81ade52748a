import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from indexer.devchain.anvil import Anvil
from indexer.devchain.world import World
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[3]


def test_a_chain_runs_and_trades_until_stopped(tmp_path: Path) -> None:
    out = tmp_path / "chains.toml"
    command = [sys.executable, "-m", "indexer.devchain", "--scale", "small", "--block-seconds", "1", "--out", str(out)]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = ""
        while "pool_manager" not in printed:
            line = process.stdout.readline()
            assert line, process.stderr.read() if process.stderr else ""
            printed += line
        assert tomllib.loads(printed) == tomllib.loads(out.read_text())
        url = tomllib.loads(printed)["chains"]["base"]["rpc_urls"][0]
        before = int(_ask(url, "eth_blockNumber"), 16)
        wait_until(lambda: _traded_since(url, before), "a trade", 60)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def _ask(url: str, method: str, *params: object) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx.post(url, json=body).json()["result"]


def _traded_since(url: str, block: int) -> bool:
    head = int(_ask(url, "eth_blockNumber"), 16)
    return any(
        _ask(url, "eth_getBlockByNumber", hex(number), False)["transactions"] for number in range(block + 1, head + 1)
    )


def test_an_unknown_scale_is_refused() -> None:
    command = [sys.executable, "-m", "indexer.devchain", "--scale", "vast"]
    ran = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "--scale" in ran.stderr


@pytest.mark.parametrize("seed", [3, 4])
def test_seeds_give_different_worlds(world: World, seed: int) -> None:
    with Anvil.start() as node:
        other = World.create(node, seed=seed)
    assert {token.address for token in other.tokens}.isdisjoint(token.address for token in world.tokens)
    assert [token.symbol for token in other.tokens] == [token.symbol for token in world.tokens]
