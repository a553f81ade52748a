"""A remote signer over HTTP: what is sent, what is believed, and what counts as down."""

import json
import ssl
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from eth_account import Account
from pydantic import ValidationError

from indexer.contracts.signer import ENVIRONMENT_NAME, KeySigner, SignerKeyError, SignerUnavailable
from indexer.contracts.signing import open_signer
from indexer.contracts.statements import MintAuthorization, SettlementConsent, sign
from tests.fixtures.remote_signer import RemoteSignerDouble, result
from warehouse.settings import EngineSettings

REGISTRY = "0x" + "ab" * 20
MINT = MintAuthorization("0x" + "01" * 20, "0x" + "02" * 20, "AURUM", 10**18, 2_000_000_000, 2**255)
CONSENT = SettlementConsent(b"\x07" * 32, 1, MINT.claimer, MINT.token, 10**24, 8453, 8, 2**200)
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


@pytest.fixture(autouse=True)
def _no_key_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT_NAME, raising=False)


@pytest.fixture
def remote() -> Iterator[RemoteSignerDouble]:
    with RemoteSignerDouble() as double:
        yield double


def settings(remote: RemoteSignerDouble, **changes: Any) -> EngineSettings:
    return EngineSettings(signer_url=remote.url, signer_address=remote.account.address, **changes)


@pytest.mark.parametrize("statement", [MINT, CONSENT], ids=lambda one: one.TYPE)
def test_it_signs_what_a_key_in_the_process_would(remote: RemoteSignerDouble, statement: Any) -> None:
    signer = open_signer(settings(remote))
    assert signer.address == remote.account.address
    assert sign(signer, 8453, REGISTRY, statement) == sign(KeySigner(remote.account), 8453, REGISTRY, statement)


def test_the_request_is_json_rpc_with_the_whole_document(remote: RemoteSignerDouble) -> None:
    sign(open_signer(settings(remote)), 8453, REGISTRY, MINT)
    (request,) = remote.requests
    address, document = request.pop("params")
    assert request == {"jsonrpc": "2.0", "id": 1, "method": "eth_signTypedData"}
    assert address == remote.account.address.lower()
    shown = json.loads(document)
    assert (shown["primaryType"], shown["domain"]["chainId"]) == ("MintAuthorization", 8453)
    assert shown["message"]["nonce"] == str(2**255), "no reader of JSON may round it"


def test_no_key_is_made_or_read(remote: RemoteSignerDouble, tmp_path: Path) -> None:
    sign(open_signer(settings(remote, data_dir=tmp_path / "data")), 8453, REGISTRY, MINT)
    assert not (tmp_path / "data").exists()


def test_a_bearer_token_is_sent() -> None:
    with RemoteSignerDouble(token="secret") as remote:
        sign(open_signer(settings(remote, signer_token="secret")), 8453, REGISTRY, MINT)
        with pytest.raises(SignerUnavailable, match="status 401"):
            sign(open_signer(settings(remote, signer_token="guess")), 8453, REGISTRY, MINT)


def test_the_parity_is_accepted_as_v(remote: RemoteSignerDouble) -> None:
    remote.answer_with = lambda signature: (200, result(signature[:64] + bytes([signature[64] - 27])))
    assert sign(open_signer(settings(remote)), 8453, REGISTRY, MINT)[64] in (27, 28)


def _high_s(signature: bytes) -> bytes:
    s = _ORDER - int.from_bytes(signature[32:64], "big")
    return signature[:32] + s.to_bytes(32, "big") + bytes([55 - signature[64]])


def _of_another_key(_: bytes) -> bytes:
    return sign(KeySigner(Account.create()), 8453, REGISTRY, MINT)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda one: (200, result(_of_another_key(one))), "did not sign"),
        (lambda one: (200, result(_high_s(one))), "not in canonical form"),
        (lambda one: (200, result(one[:64] + b"\x1d")), "not in canonical form"),
        (lambda one: (200, result(one[:64])), "not a signature"),
        (lambda one: (200, result(bytes(64) + b"\x1b")), "did not sign"),
        (lambda _: (200, b'{"result": 5}'), "not a signature"),
        (lambda _: (200, b'{"error": {"message": "policy"}}'), "refused: policy"),
        (lambda _: (200, b"[]"), "refused"),
        (lambda _: (200, b"<html>"), "not JSON"),
        (lambda _: (200, b"x" * 100_000), "too large"),
        (lambda _: (302, b""), "status 302"),
        (lambda _: (500, b""), "status 500"),
    ],
)
def test_every_other_answer_counts_as_down(remote: RemoteSignerDouble, answer: Any, complaint: str) -> None:
    remote.answer_with = answer
    with pytest.raises(SignerUnavailable, match=complaint):
        sign(open_signer(settings(remote)), 8453, REGISTRY, MINT)


def test_a_silent_signer_is_not_waited_for(remote: RemoteSignerDouble) -> None:
    over = threading.Event()

    def sleep(signature: bytes) -> tuple[int, bytes]:
        over.wait(30)
        return 200, result(signature)

    remote.answer_with = sleep
    begun = time.monotonic()
    with pytest.raises(SignerUnavailable, match="does not answer"):
        sign(open_signer(settings(remote, signer_timeout_seconds=0.2)), 8453, REGISTRY, MINT)
    assert time.monotonic() - begun < 15
    over.set()


def test_an_absent_signer_is_unavailable(remote: RemoteSignerDouble) -> None:
    gone = settings(remote, signer_timeout_seconds=1).model_copy(update={"signer_url": "http://127.0.0.1:1/"})
    with pytest.raises(SignerUnavailable, match="does not answer"):
        sign(open_signer(gone), 8453, REGISTRY, MINT)


def test_settings_that_contradict_each_other_are_refused(
    remote: RemoteSignerDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SignerKeyError, match="REGALIA_SIGNER_ADDRESS"):
        open_signer(EngineSettings(signer_url=remote.url))
    with pytest.raises(SignerKeyError, match="certificates"):
        open_signer(settings(remote, signer_ca=Path("absent.pem")))
    with pytest.raises(ValidationError, match="must be https"):
        EngineSettings(signer_url="http://signer.example/", signer_address=remote.account.address)
    monkeypatch.setenv(ENVIRONMENT_NAME, "11" * 32)
    with pytest.raises(SignerKeyError, match="choose one"):
        open_signer(settings(remote))


def _certificate(folder: Path, name: str) -> Path:
    """A self-signed certificate for 127.0.0.1 with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path


def test_client_certificates_are_shown_and_the_signers_is_checked(tmp_path: Path) -> None:
    server, client = _certificate(tmp_path, "server"), _certificate(tmp_path, "client")
    demanding = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=client)
    demanding.load_cert_chain(server)
    demanding.verify_mode = ssl.CERT_REQUIRED
    with RemoteSignerDouble(tls=demanding) as remote:
        known = settings(remote, signer_ca=server, signer_certificate=client)
        assert len(sign(open_signer(known), 8453, REGISTRY, MINT)) == 65
        for changes in ({"signer_ca": server}, {"signer_certificate": client}):
            with pytest.raises(SignerUnavailable, match="does not answer"):
                sign(open_signer(settings(remote, **changes)), 8453, REGISTRY, MINT)
