"""The program that runs the demo's Solana node."""

import base64
import json
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.system_program import TransferParams, transfer

from api.ops.demo.chain import UNAVAILABLE_STATUS
from indexer.devchain.solana import serve, surfpool
from indexer.devchain.solana.sender import sign
from indexer.devchain.solana.surfpool import find_programs
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

CONFIRMED = {"commitment": "confirmed"}


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
        url = facts["rpc_url"]
        # Trade begins when a deployment is over, or has not come for a while. To the node this payment is one.
        _pay(url, facts["deployer_key"])
        wait_until(lambda: _transactions_since(url, facts["head"]) > 0, "the payment is in a block", 60)
        paid = _ask(url, "getSlot", CONFIRMED)
        wait_until(lambda: _transactions_since(url, paid) > 0, "trade goes on", 60)
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


def _pay(url: str, key: str) -> None:
    payer = Keypair.from_base58_string(key)
    recent = Hash.from_string(_ask(url, "getLatestBlockhash", CONFIRMED)["value"]["blockhash"])
    to_itself = transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=payer.pubkey(), lamports=1))
    signed = base64.b64encode(bytes(sign([to_itself], [payer], recent))).decode()
    _ask(url, "sendTransaction", signed, {"encoding": "base64", "preflightCommitment": "confirmed"})


def _transactions_since(url: str, slot: int) -> int:
    wanted = {**CONFIRMED, "maxSupportedTransactionVersion": 0, "rewards": False, "transactionDetails": "signatures"}
    blocks = [_ask(url, "getBlock", one, wanted) for one in _ask(url, "getBlocks", slot + 1, None, CONFIRMED)]
    return sum(len(block["signatures"]) for block in blocks if isinstance(block, dict))


def _ask(url: str, method: str, *params: object) -> Any:
    answer = httpx.post(url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).json()
    assert "error" not in answer, answer
    return answer["result"]
