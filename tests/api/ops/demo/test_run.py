"""What the demo does where one of its chains cannot run."""

import os
from pathlib import Path

import pytest

from api.ops.demo import chain, run
from api.ops.demo.chain import ChainProcess
from api.ops.supervisor.part import StackError

GONE = "import sys; print('no node for this machine', file=sys.stderr); sys.exit({status})"


@pytest.fixture
def gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(chain.MODULES, "solana", "gone")
    return tmp_path / "gone.py"


def test_without_a_node_for_the_machine_it_says_so_and_goes_on(gone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone.write_text(GONE.format(status=chain.UNAVAILABLE_STATUS))
    with ChainProcess("solana", gone.parent, dict(os.environ), "small") as started:
        assert run._await_worlds([started]) == {}
    assert capsys.readouterr().out == "  without solana: no node for this machine\n"


def test_a_chain_that_fails_ends_the_demo(gone: Path) -> None:
    gone.write_text(GONE.format(status=1))
    with (
        ChainProcess("solana", gone.parent, dict(os.environ), "small") as started,
        pytest.raises(StackError, match="the chain solana ended with status 1: no node for this machine"),
    ):
        run._await_worlds([started])
