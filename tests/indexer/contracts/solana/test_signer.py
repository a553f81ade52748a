"""The signer of statements on Solana: whose key it is, what a remote one is sent, and what is believed."""

import base64
import json
import stat
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from solders.keypair import Keypair
from solders.signature import Signature

from indexer.contracts.signer import SignerKeyError, SignerUnavailable
from indexer.contracts.solana.signer import ENVIRONMENT_NAME, key_path, load_or_create
from indexer.contracts.solana.signing import open_signer
from tests.fixtures.remote_signer import StatementSignerDouble, base64_result
from warehouse.settings import EngineSettings

STATEMENT = b"regalia registry" + bytes(range(150))


@pytest.fixture(autouse=True)
def _no_key_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT_NAME, raising=False)


@pytest.fixture
def remote() -> Iterator[StatementSignerDouble]:
    with StatementSignerDouble() as double:
        yield double


def settings(remote: StatementSignerDouble, **changes: Any) -> EngineSettings:
    given = {"solana_signer_url": remote.url, "solana_signer_address": str(remote.keypair.pubkey()), **changes}
    return EngineSettings(**given)


def test_the_key_is_created_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = {load.pubkey() for load in pool.map(lambda _: load_or_create(tmp_path / "data"), range(32))}
    assert len(found) == 1
    path = key_path(tmp_path / "data")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert Keypair.from_json(path.read_text()).pubkey() in found, "solana-keygen reads it"


@pytest.mark.parametrize("written", [str, Keypair.to_json])
def test_the_environments_key_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: Any) -> None:
    given = Keypair()
    monkeypatch.setenv(ENVIRONMENT_NAME, written(given))
    signer = open_signer(EngineSettings(data_dir=tmp_path))
    assert signer.address == given.pubkey()
    assert Signature.from_bytes(signer.sign(STATEMENT)).verify(given.pubkey(), STATEMENT)
    assert not key_path(tmp_path).exists()


@pytest.mark.parametrize("text", ["", "zz", "[1, 2]", "[300]", "{}", json.dumps([0] * 64), "1" * 88, '["a"]'])
def test_an_invalid_key_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    path = key_path(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(SignerKeyError, match="does not hold a key pair") as caught:
        load_or_create(tmp_path)
    assert not text or text not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_remote_signer_gets_the_whole_statement(remote: StatementSignerDouble, tmp_path: Path) -> None:
    signer = open_signer(settings(remote, data_dir=tmp_path / "data"))
    assert signer.address == remote.keypair.pubkey()
    assert Signature.from_bytes(signer.sign(STATEMENT)) == remote.keypair.sign_message(STATEMENT)
    shown = base64.b64encode(STATEMENT).decode()
    assert remote.requests == [
        {"jsonrpc": "2.0", "id": 1, "method": "signMessage", "params": [str(signer.address), shown]}
    ]
    assert not (tmp_path / "data").exists(), "no key is made"


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda _: (200, base64_result(bytes(Keypair().sign_message(STATEMENT)))), "did not sign"),
        (lambda one: (200, base64_result(one[:63])), "not a signature"),
        (lambda one: (200, json.dumps({"result": one.hex()}).encode()), "not a signature"),
        (lambda _: (200, b'{"result": 5}'), "not a signature"),
        (lambda _: (200, b'{"error": {"message": "policy"}}'), "refused: policy"),
        (lambda _: (500, b""), "status 500"),
    ],
)
def test_every_other_answer_counts_as_down(remote: StatementSignerDouble, answer: Any, complaint: str) -> None:
    remote.answer_with = answer
    with pytest.raises(SignerUnavailable, match=complaint):
        open_signer(settings(remote)).sign(STATEMENT)


def test_a_silent_signer_is_not_waited_for(remote: StatementSignerDouble) -> None:
    over = threading.Event()

    def sleep(signature: bytes) -> tuple[int, bytes]:
        over.wait(30)
        return 200, base64_result(signature)

    remote.answer_with = sleep
    begun = time.monotonic()
    with pytest.raises(SignerUnavailable, match="does not answer"):
        open_signer(settings(remote, signer_timeout_seconds=0.2)).sign(STATEMENT)
    assert time.monotonic() - begun < 15
    over.set()


def test_contradicting_settings_are_refused(remote: StatementSignerDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SignerKeyError, match="needs REGALIA_SOLANA_SIGNER_ADDRESS"):
        open_signer(EngineSettings(solana_signer_url=remote.url))
    with pytest.raises(SignerKeyError, match="not 32 bytes"):
        open_signer(settings(remote, solana_signer_address="1" * 44))
    with pytest.raises(ValidationError, match="https"):
        settings(remote, solana_signer_url="http://signer.example/")
    monkeypatch.setenv(ENVIRONMENT_NAME, str(Keypair()))
    with pytest.raises(SignerKeyError, match="both set"):
        open_signer(settings(remote))
