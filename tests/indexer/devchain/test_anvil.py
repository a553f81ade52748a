import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indexer.devchain import anvil as anvil_module
from indexer.devchain.anvil import Anvil, AnvilError, find_binary
from tests.fixtures.waiting import wait_until


def test_starts_on_a_free_port_with_the_current_time(anvil: Anvil) -> None:
    assert int(anvil.rpc("eth_chainId"), 16) == 8453
    sender, recipient = anvil.rpc("eth_accounts")[:2]
    receipt = anvil.receipt(anvil.rpc("eth_sendTransaction", {"from": sender, "to": recipient, "value": "0x1"}))
    mined = anvil.rpc("eth_getBlockByNumber", receipt["blockNumber"], False)
    assert abs(int(mined["timestamp"], 16) - time.time()) < 60


def test_errors_of_the_node_name_the_method(anvil: Anvil) -> None:
    with pytest.raises(AnvilError, match="eth_noSuchMethod"):
        anvil.rpc("eth_noSuchMethod")


def test_batch_keeps_the_order_of_its_calls(anvil: Anvil) -> None:
    wallets = [f"0x{number:040x}" for number in range(1, 40)]
    anvil.batch(("anvil_setBalance", (wallet, hex(number))) for number, wallet in enumerate(wallets))
    balances = anvil.batch(("eth_getBalance", (wallet, "latest")) for wallet in wallets)
    assert [int(balance, 16) for balance in balances] == list(range(len(wallets)))


def test_stop_ends_the_node_and_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anvil_module, "_UNUSED_CACHE", str(tmp_path))
    node = Anvil.start(chain_id=31337)
    node.mine(200)
    node.stop()
    node.stop()
    assert node.process.returncode is not None
    assert not list(tmp_path.iterdir())
    with pytest.raises(AnvilError):
        node.rpc("eth_chainId")


def test_mines_by_interval_when_asked() -> None:
    with Anvil.start(block_time=0.05) as node:
        wait_until(lambda: node.block_number() >= 2, "two blocks are mined")


def test_a_failed_start_gives_the_reason() -> None:
    with pytest.raises(AnvilError, match="ended at start"):
        Anvil.start(extra=("--no-such-flag",))


def test_the_binary_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGALIA_ANVIL", "/no/such/program")
    with pytest.raises(AnvilError, match="REGALIA_ANVIL"):
        find_binary()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux's")
def test_the_node_dies_with_its_parent() -> None:
    start = "from indexer.devchain.anvil import Anvil; print(Anvil.start().process.pid, flush=True)"
    code = f"import time; {start}; time.sleep(60)"
    root = Path(__file__).parents[3]
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root) as parent:
        assert parent.stdout is not None
        node = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    wait_until(lambda: not _alive(node), "the node has ended")


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return state != "Z"
