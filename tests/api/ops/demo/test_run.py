"""What the demo does where a part of it cannot run."""

import pytest

from api.ops.demo import run
from indexer.devchain.solana import surfpool


def test_without_a_solana_node_for_the_machine_the_demo_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(surfpool.platform, "machine", lambda: "arm64")
    assert run._chain_keys(solana=True) == ["base"]
    assert "without Solana: Surfpool runs on Linux on x86-64 only" in capsys.readouterr().out


def test_the_demo_can_be_told_to_leave_solana_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run._chain_keys(solana=False) == ["base"]
    assert capsys.readouterr().out == ""


def test_both_chains_run_where_they_can() -> None:
    surfpool.find_programs()
    assert run._chain_keys(solana=True) == ["base", "solana"]
