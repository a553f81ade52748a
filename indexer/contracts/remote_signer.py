"""A signer behind HTTP, such as Web3Signer in front of a key management service: the key never enters this process.

One JSON-RPC request signs one document::

    POST REGALIA_SIGNER_URL
    {"jsonrpc": "2.0", "id": 1, "method": "eth_signTypedData", "params": ["0x<address>", "<EIP-712 document as JSON>"]}

    {"jsonrpc": "2.0", "id": 1, "result": "0x<65 bytes: r, s, v>"}

The whole document is sent, not its hash, so that the remote side can refuse kinds of statements. Every answer is
checked against the address before it is used: a signer that signs something else is treated like one that is down.
"""

import json
from typing import Any, Self

from coincurve import PublicKey
from eth_account.messages import encode_typed_data
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from indexer.contracts.signer import SignerKeyError, SignerUnavailable
from indexer.contracts.signer_endpoint import SignerEndpoint
from warehouse.settings import EngineSettings

_HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0


class RemoteSigner:
    """Has documents signed over HTTP. Safe to use from several threads."""

    def __init__(self, endpoint: SignerEndpoint, address: str) -> None:
        self._endpoint = endpoint
        self._address = str(to_checksum_address(address))

    @classmethod
    def of(cls, settings: EngineSettings) -> Self:
        """The signer of the settings. Contacts nothing.

        Raises:
            SignerKeyError: the address is missing, or a certificate cannot be read.
        """
        if settings.signer_url is None or settings.signer_address is None:
            raise SignerKeyError("REGALIA_SIGNER_URL needs REGALIA_SIGNER_ADDRESS, the address that it signs for")
        endpoint = SignerEndpoint.of(settings, str(settings.signer_url), probe="eth_accounts")
        return cls(endpoint, settings.signer_address)

    @property
    def address(self) -> str:
        """The address, checksummed."""
        return self._address

    def sign_typed_data(self, document: dict[str, Any]) -> bytes:
        """The 65-byte signature of a document.

        Raises:
            SignerUnavailable: the signer did not answer in time, refused, or signed with another key.
        """
        shown = json.dumps(_plain(document))
        signature = _signature(self._endpoint.call("eth_signTypedData", self._address.lower(), shown))
        if _signed_by(document, signature) != self._address:
            raise SignerUnavailable(f"the remote signer did not sign this document with the key of {self._address}")
        return signature

    def answers(self) -> bool:
        """Whether the signer answers anything, a refusal included."""
        return self._endpoint.answers()

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()


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
