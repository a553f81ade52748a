"""``regalia guardian`` on Solana: printed for a cold wallet or a multi-signature wallet, or sent."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from api.ops.commands import guardian
from api.ops.commands.checks_of_signing import signing
from indexer.contracts.sending import SendError
from indexer.contracts.signer import SignerKeyError
from indexer.contracts.solana.payer import GUARDIAN_NAME, PAYER_NAME
from indexer.contracts.solana.signer import load_or_create
from tests.fixtures.solana_node_registry import SIGNER_DELAY, NodeRegistry
from warehouse.chains import facts
from warehouse.settings import EngineSettings

pytestmark = pytest.mark.slow


@pytest.fixture
def deployed(node_registry: NodeRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NodeRegistry:
    """A registry that the environment's chains file names, and its guardian's key."""
    monkeypatch.setenv("REGALIA_CHAINS", str(node_registry.chains_file(tmp_path / "chains.toml")))
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv(GUARDIAN_NAME, str(node_registry.guardian))
    monkeypatch.delenv("REGALIA_SOLANA_SIGNER_PRIVATE_KEY", raising=False)
    return node_registry


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(capsys.readouterr().out)
    return shown


def status(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    guardian.show_status("sol")
    return printed(capsys)


def test_the_status_shows_keys_and_terms(deployed: NodeRegistry, capsys: pytest.CaptureFixture[str]) -> None:
    deployed.claim("LUMEN", fee=0)
    shown = status(capsys)
    assert shown["registry"] == str(deployed.program)
    assert (shown["signer"], shown["signer_is_ours"]) == (str(deployed.signer.pubkey()), False)
    assert (shown["guardian"], shown["treasury"]) == (str(deployed.guardian.pubkey()), str(deployed.treasury.pubkey()))
    assert (shown["signer_delay"], shown["free_mints_per_day"], shown["free_mints_left"]) == (SIGNER_DELAY, 3, 2)
    assert (shown["next_signer"], shown["next_guardian_from"]) == (None, None)


def test_a_call_is_printed_for_a_cold_wallet(deployed: NodeRegistry, capsys: pytest.CaptureFixture[str]) -> None:
    deployed.claim("LUMEN")
    deployed.announce_end("LUMEN")
    token_id = deployed.registered("LUMEN").token_id
    guardian.call("solana", "vetoEnd", token_id)
    shown = printed(capsys)
    assert shown["call"] == f"vetoEnd({token_id})"
    assert deployed.registered("LUMEN").end is not None, "printing changes nothing"
    made = VersionedTransaction.from_bytes(base64.b64decode(shown["transaction"]))
    assert made.message.account_keys[0] == deployed.guardian.pubkey()
    assert all(not any(bytes(one)) for one in made.signatures)
    # What a multi-signature wallet takes does the same.
    (one,) = shown["instructions"]
    metas = [
        AccountMeta(Pubkey.from_string(meta["pubkey"]), meta["isSigner"], meta["isWritable"])
        for meta in one["accounts"]
    ]
    data = base64.b64decode(one["data"])
    deployed.send([Instruction(Pubkey.from_string(one["programId"]), data, metas)], deployed.guardian)
    assert deployed.registered("LUMEN").end is None


def test_a_call_is_sent_with_the_guardians_key(
    deployed: NodeRegistry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(GUARDIAN_NAME, str(Keypair()))
    with pytest.raises(SignerKeyError, match="the guardian is"):
        guardian.call("solana", "suspendSigner", submit=True)
    monkeypatch.delenv(GUARDIAN_NAME)
    with pytest.raises(SignerKeyError, match="must hold the guardian's key"):
        guardian.call("solana", "suspendSigner", submit=True)
    monkeypatch.setenv(GUARDIAN_NAME, str(deployed.guardian))
    guardian.call("solana", "suspendSigner", submit=True)
    assert status(capsys)["suspended"] is True


def test_what_the_registry_refuses_is_named_before_anybody_signs(deployed: NodeRegistry) -> None:
    with pytest.raises(SendError, match="no registration 9"):
        guardian.call("solana", "vetoEnd", 9)
    deployed.claim("LUMEN")
    with pytest.raises(SendError, match=r"refuses vetoEnd\(1\): NoEndPending"):
        guardian.call("solana", "vetoEnd", 1)
    with pytest.raises(SignerKeyError, match="not an address"):
        guardian.call("solana", "announceSigner", "0x" + "5a" * 20)
    with pytest.raises(SendError, match="has no setFactory"):
        guardian.call("solana", "setFactory", str(Keypair().pubkey()))


def test_a_leaked_signer_is_replaced_by_this_services(
    deployed: NodeRegistry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = str(load_or_create(tmp_path / "data").pubkey())
    guardian.call("solana", "suspendSigner", submit=True)
    with pytest.raises(SendError, match="NothingAnnounced"):
        guardian.accept_signer("solana")
    guardian.call("solana", "announceSigner", ours, submit=True)
    announced = status(capsys)
    assert announced["next_signer"] == ours
    with pytest.raises(SendError, match="TooEarly"):
        guardian.accept_signer("solana")
    deployed.wait_until(announced["next_signer_from"])
    monkeypatch.setenv(PAYER_NAME, str(deployed.stranger))
    guardian.accept_signer("solana", submit=True)
    shown = status(capsys)
    assert (shown["signer"], shown["signer_is_ours"], shown["suspended"]) == (ours, True, False)


def test_the_next_guardian_takes_over(
    deployed: NodeRegistry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    guardian.call("solana", "announceGuardian", str(deployed.stranger.pubkey()), submit=True)
    deployed.wait_until(status(capsys)["next_guardian_from"])
    monkeypatch.setenv(GUARDIAN_NAME, str(deployed.stranger))
    guardian.call("solana", "acceptGuardian", submit=True)
    assert status(capsys)["guardian"] == str(deployed.stranger.pubkey())
    guardian.call("solana", "setMintLimits", 5, 10**6, submit=True)
    shown = status(capsys)
    assert (shown["free_mints_per_day"], shown["paid_from"]) == (5, 10**6)


def findings(tmp_path: Path) -> list[tuple[str, str]]:
    settings = EngineSettings(data_dir=tmp_path / "data")
    return [(one.level.value, one.message) for one in signing(settings, facts.load(tmp_path / "chains.toml"))]


def test_doctor_compares_the_registrys_signer_with_this_services(deployed: NodeRegistry, tmp_path: Path) -> None:
    assert findings(tmp_path) == [], "no key was made yet"
    ours = str(load_or_create(tmp_path / "data").pubkey())
    ((level, message),) = findings(tmp_path)
    assert (level, f"this service's is {ours}" in message) == ("broken", True)
    guardian.call("solana", "announceSigner", ours, submit=True)
    assert ("warning", f"{ours} is announced as the next signer") in findings(tmp_path)
    guardian.call("solana", "suspendSigner", submit=True)
    assert "is suspended" in findings(tmp_path)[0][1]
