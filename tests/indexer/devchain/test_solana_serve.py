"""The program that runs the demo's Solana node."""

import json
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import httpx
import pytest

from api.ops.demo.chain import UNAVAILABLE_STATUS
from indexer.devchain.solana import serve, surfpool
from indexer.devchain.solana.surfpool import find_programs
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow


def test_it_describes_itself_trades_and_stops(tmp_path: Path) -> None:
    find_programs()
    command = [sys.executable, "-m", "indexer.devchain.solana.serve", "--scale", "small", "--out", str(tmp_path)]
    described = tmp_path / "solana.json"
    with subprocess.Popen(command, cwd=CHECKOUT) as process:
        wait_until(lambda: described.exists() or process.poll() is not None, "the history is written", 90)
        facts = json.loads(described.read_text())
        chain = tomllib.loads((tmp_path / "solana.toml").read_text())["chains"]["solana"]
        assert chain["rpc_urls"] == [facts["rpc_url"]]
        assert described.stat().st_mode & 0o077 == 0
        wait_until(lambda: _transactions_since(facts["rpc_url"], facts["head"]) > 0, "trade goes on", 60)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.post(facts["rpc_url"], json={})


def test_other_machines_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(surfpool.platform, "machine", lambda: "arm64")
    monkeypatch.setattr(sys, "argv", ["serve", "--out", str(tmp_path)])
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    try:
        assert serve.main() == UNAVAILABLE_STATUS
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
    assert "Surfpool runs on Linux on x86-64 only" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def _transactions_since(url: str, slot: int) -> int:
    def ask(method: str, *params: object) -> object:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return httpx.post(url, json=body).json()["result"]

    confirmed = {"commitment": "confirmed", "maxSupportedTransactionVersion": 0, "rewards": False}
    slots = ask("getBlocks", slot + 1, None, confirmed)
    assert isinstance(slots, list)
    blocks = [ask("getBlock", one, {**confirmed, "transactionDetails": "signatures"}) for one in slots]
    return sum(len(block["signatures"]) for block in blocks if isinstance(block, dict))
