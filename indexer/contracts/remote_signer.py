"""A signer behind HTTP, such as Web3Signer in front of a key management service: the key never enters this process.

One JSON-RPC request signs one document::

    POST REGALIA_SIGNER_URL
    {"jsonrpc": "2.0", "id": 1, "method": "eth_signTypedData", "params": ["0x<address>", "<EIP-712 document as JSON>"]}

    {"jsonrpc": "2.0", "id": 1, "result": "0x<65 bytes: r, s, v>"}

The whole document is sent, not its hash, so that the remote side can refuse kinds of statements. Every answer is
checked against the address before it is used: a signer that signs something else is treated like one that is down.
"""

import json
import ssl
import time
from typing import Any, Self

import httpx
from coincurve import PublicKey
from eth_account.messages import encode_typed_data
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from indexer.contracts.signer import SignerKeyError, SignerUnavailable
from warehouse.breaker import PROBE_SECONDS
from warehouse.settings import EngineSettings

_ANSWER_BYTES = 64 * 1024
_HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0


class RemoteSigner:
    """Has documents signed over HTTP. Safe to use from several threads."""

    def __init__(self, url: str, address: str, client: httpx.Client, *, timeout_seconds: float) -> None:
        self._url = url
        self._seconds = timeout_seconds
        self._address = str(to_checksum_address(address))
        self._client = client

    @classmethod
    def of(cls, settings: EngineSettings) -> Self:
        """The signer of the settings. Contacts nothing.

        Raises:
            SignerKeyError: the address is missing, or a certificate cannot be read.
        """
        if settings.signer_url is None or settings.signer_address is None:
            raise SignerKeyError("REGALIA_SIGNER_URL needs REGALIA_SIGNER_ADDRESS, the address that it signs for")
        token = settings.signer_token
        client = httpx.Client(
            headers={} if token is None else {"Authorization": f"Bearer {token.get_secret_value()}"},
            timeout=settings.signer_timeout_seconds,
            verify=_tls(settings),
            trust_env=False,  # no proxy of the environment sees statements
            follow_redirects=False,
        )
        return cls(
            str(settings.signer_url),
            settings.signer_address,
            client,
            timeout_seconds=settings.signer_timeout_seconds,
        )

    @property
    def address(self) -> str:
        """The address, checksummed."""
        return self._address

    def sign_typed_data(self, document: dict[str, Any]) -> bytes:
        """The 65-byte signature of a document.

        Raises:
            SignerUnavailable: the signer did not answer in time, refused, or signed with another key.
        """
        answer = self._ask(document)
        signature = _signature(answer)
        if _signed_by(document, signature) != self._address:
            raise SignerUnavailable(f"the remote signer did not sign this document with the key of {self._address}")
        return signature

    def answers(self) -> bool:
        """Whether the signer answers anything, a refusal included."""
        try:
            response = self._client.post(self._url, json=_request("eth_accounts"), timeout=PROBE_SECONDS)
        except httpx.HTTPError:
            return False
        return response.status_code < httpx.codes.INTERNAL_SERVER_ERROR

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, document: dict[str, Any]) -> Any:
        request = _request("eth_signTypedData", self._address.lower(), json.dumps(_plain(document)))
        until = time.monotonic() + self._seconds
        try:
            with self._client.stream("POST", self._url, json=request) as response:
                content = b""
                for part in response.iter_bytes():
                    content += part
                    if len(content) > _ANSWER_BYTES:
                        raise SignerUnavailable("the remote signer's answer is too large")
                    if time.monotonic() > until:  # the client's own limit is for each part
                        raise SignerUnavailable("the remote signer's answer does not end")
        except httpx.HTTPError as error:
            raise SignerUnavailable(f"the remote signer does not answer: {type(error).__name__}") from error
        if response.status_code != httpx.codes.OK:
            raise SignerUnavailable(f"the remote signer answered with status {response.status_code}")
        try:
            answer = json.loads(content)
        except ValueError:
            raise SignerUnavailable("the remote signer's answer is not JSON") from None
        if not isinstance(answer, dict) or "result" not in answer:
            problem = answer.get("error") if isinstance(answer, dict) else None
            message = problem.get("message") if isinstance(problem, dict) else None
            raise SignerUnavailable(f"the remote signer refused: {message or 'no reason given'}")
        return answer["result"]


def _request(method: str, *params: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}


def _signature(answer: Any) -> bytes:
    """The signature in the form that contracts take."""
    try:
        signature = bytes.fromhex(answer.removeprefix("0x"))
    except (AttributeError, ValueError):
        signature = b""
    if len(signature) != 65:
        raise SignerUnavailable("the remote signer's answer is not a signature of 65 bytes")
    if signature[64] < 27:  # some signers give the parity
        signature = signature[:64] + bytes([signature[64] + 27])
    if signature[64] not in (27, 28) or int.from_bytes(signature[32:64], "big") > _HALF_ORDER:
        raise SignerUnavailable("the remote signer's signature is not in canonical form")
    return signature


def _signed_by(document: dict[str, Any], signature: bytes) -> str | None:
    message = encode_typed_data(full_message=document)
    digest = keccak(b"\x19" + message.version + message.header + message.body)
    try:
        key = PublicKey.from_signature_and_message(signature[:64] + bytes([signature[64] - 27]), digest, hasher=None)
    except ValueError:
        return None
    return str(to_checksum_address(keccak(key.format(compressed=False)[1:])[12:]))


def _plain(value: Any) -> Any:
    """A document as JSON: bytes as hexadecimal, and numbers as text, which no reader rounds."""
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return str(value) if isinstance(value, int) and abs(value) >= 2**53 else value


def _tls(settings: EngineSettings) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=settings.signer_ca)
        if settings.signer_certificate is not None:
            context.load_cert_chain(settings.signer_certificate, settings.signer_certificate_key)
    except (OSError, ssl.SSLError) as error:
        raise SignerKeyError(f"certificates of the remote signer: {error}") from error
    return context
