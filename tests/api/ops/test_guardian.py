"""``regalia guardian``: the guardian's transactions, printed for a cold wallet or sent."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.ops.commands import guardian
from api.ops.commands.checks_of_signing import signing
from indexer.contracts import registry
from indexer.contracts.guarding import accept_signer_calldata
from indexer.contracts.sending import SendError
from indexer.contracts.signer import SignerKeyError, load_or_create
from indexer.contracts.signing import open_signer
from indexer.devchain.anvil import Anvil
from tests.indexer.contracts.deployed_registry import TERMS, Registry
from warehouse.chains import facts
from warehouse.chains.facts import ChainFactsError
from warehouse.settings import EngineSettings


@pytest.fixture(scope="module")
def node() -> Iterator[Anvil]:
    with Anvil.start() as node:
        yield node


@pytest.fixture
def deployed(node: Anvil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry that the environment's chains file names, and its guardian's key."""
    made = Registry.deploy(node)
    path = tmp_path / "chains.toml"
    path.write_text(f'[chains.base]\nrpc_urls = ["{node.url}"]\n[chains.base.contracts]\nregistry = "{made.address}"\n')
    monkeypatch.setenv("REGALIA_CHAINS", str(path))
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv(guardian.PRIVATE_KEY_NAME, made.guardian.key.hex())
    monkeypatch.delenv("REGALIA_SIGNER_PRIVATE_KEY", raising=False)
    return made


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(capsys.readouterr().out)
    return shown


def test_the_status_shows_keys_and_terms(deployed: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    guardian.show_status("base")
    shown = printed(capsys)
    assert shown["signer"] == deployed.signer.address.lower()
    assert shown["guardian"] == deployed.guardian.address.lower()
    assert (shown["end_delay"], shown["free_mints_left"]) == (TERMS.end_delay, TERMS.free_mints_per_day)
    assert shown["signer_is_ours"] is False


def test_a_call_is_printed_for_a_cold_wallet(deployed: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    token_id = deployed.mint(deployed.wallet(), "AURUM")
    deployed.announce(token_id)
    guardian.call("base", "vetoEnd", token_id)
    shown = printed(capsys)
    assert shown["call"] == f"vetoEnd({token_id})"
    assert deployed.end(token_id)[0] == 1, "printing changes nothing"
    deployed.send(deployed.guardian, shown["data"], to=shown["to"])
    assert deployed.end(token_id)[0] == 0


def test_a_call_is_sent_with_the_guardians_key(
    deployed: Registry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(guardian.PRIVATE_KEY_NAME, "11" * 32)
    with pytest.raises(SignerKeyError, match="the guardian is"):
        guardian.call("base", "suspendSigner", submit=True)
    monkeypatch.delenv(guardian.PRIVATE_KEY_NAME)
    with pytest.raises(SignerKeyError, match="must hold the guardian's key"):
        guardian.call("base", "suspendSigner", submit=True)
    monkeypatch.setenv(guardian.PRIVATE_KEY_NAME, deployed.guardian.key.hex())
    guardian.call("base", "suspendSigner", submit=True)
    sent = printed(capsys)["transaction"]
    assert deployed.anvil.rpc("eth_getTransactionReceipt", sent)["status"] == "0x1"
    assert int(deployed.read("signer"), 16) == 0


def test_what_the_registry_refuses_is_named_before_anybody_signs(deployed: Registry) -> None:
    with pytest.raises(SendError, match=r"refuses vetoEnd\(9\): NoEndAnnounced"):
        guardian.call("base", "vetoEnd", 9)
    with pytest.raises(ChainFactsError, match="no node or no registry"):
        guardian.call("eth", "vetoEnd", 9)
    with pytest.raises(SignerKeyError, match="not an address"):
        guardian.address("0x12")


def test_a_leaked_signer_is_replaced_by_this_services(
    deployed: Registry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = load_or_create(tmp_path / "data").address
    guardian.call("base", "suspendSigner", submit=True)
    guardian.call("base", "announceSigner", ours, submit=True)
    with pytest.raises(SendError, match="TooEarly"):
        guardian.accept_signer("base")
    deployed.wait(TERMS.signer_delay)
    payer = deployed.wallet()
    monkeypatch.setenv("REGALIA_PRIVATE_KEY", payer.key.hex())
    capsys.readouterr()
    guardian.accept_signer("base", submit=True)
    assert printed(capsys)["call"] == f"activateSigner({ours})"
    guardian.show_status("base")
    assert printed(capsys)["signer_is_ours"] is True


def findings(tmp_path: Path) -> list[tuple[str, str]]:
    settings = EngineSettings(data_dir=tmp_path / "data")
    found = signing(settings, facts.load(tmp_path / "chains.toml"))
    return [(one.level.value, one.message) for one in found]


def test_doctor_compares_the_registrys_signer_with_this_services(deployed: Registry, tmp_path: Path) -> None:
    assert findings(tmp_path) == [], "no key was made yet"
    ours = load_or_create(tmp_path / "data").address
    ((level, message),) = findings(tmp_path)
    assert (level, f"this service's is {ours}" in message) == ("broken", True)
    guardian.call("base", "announceSigner", ours, submit=True)
    assert ("warning", f"{ours.lower()} is announced as the next signer") in findings(tmp_path)
    guardian.call("base", "suspendSigner", submit=True)
    assert "is suspended" in findings(tmp_path)[0][1]
    deployed.wait(TERMS.signer_delay)
    deployed.send(
        deployed.guardian,
        accept_signer_calldata(open_signer(EngineSettings(data_dir=tmp_path / "data")), 8453, deployed.address),
    )
    assert findings(tmp_path) == [("ok", f"its registry accepts what {ours} signs")]


def test_doctor_says_that_a_remote_signer_is_down(deployed: Registry, tmp_path: Path) -> None:
    settings = EngineSettings(
        data_dir=tmp_path / "data", signer_url="http://127.0.0.1:1/", signer_address=deployed.signer.address
    )
    down, accepted = signing(settings, facts.load(tmp_path / "chains.toml"))
    assert (down.level.value, accepted.level.value) == ("broken", "ok")
    assert "does not answer" in down.message


def test_the_next_guardian_takes_over(
    deployed: Registry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    heir = deployed.wallet()
    guardian.call("base", "announceGuardian", heir.address, submit=True)
    deployed.wait(TERMS.signer_delay)
    monkeypatch.setenv(guardian.PRIVATE_KEY_NAME, heir.key.hex())
    guardian.call("base", "acceptGuardian", submit=True)
    assert deployed.read("guardian") == heir.address.lower()
    guardian.call("base", "setMintLimits", 5, 10**15)
    assert registry.contract().call("setMintLimits", 5, 10**15) in capsys.readouterr().out
