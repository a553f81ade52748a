"""A signer of statements on Solana behind HTTP: the key never enters this process.

One JSON-RPC request signs one statement, with Ed25519 and without any prefix::

    POST REGALIA_SOLANA_SIGNER_URL
    {"jsonrpc": "2.0", "id": 1, "method": "signMessage", "params": ["<public key in base58>", "<statement in base64>"]}

    {"jsonrpc": "2.0", "id": 1, "result": "<64 bytes in base64>"}

The whole statement is sent, so that the remote side can refuse kinds of statements. Every signature is checked before
it is used: a signer that signs something else is treated like one that is down.
"""

import base64
import binascii
from typing import Any, Self

from solders.pubkey import Pubkey
from solders.signature import Signature

from indexer.contracts.signer import SignerKeyError, SignerUnavailable
from indexer.contracts.signer_endpoint import SignerEndpoint
from warehouse.settings import EngineSettings


class RemoteStatementSigner:
    """Has statements signed over HTTP. Safe to use from several threads."""

    def __init__(self, endpoint: SignerEndpoint, address: Pubkey) -> None:
        self._endpoint = endpoint
        self._address = address

    @classmethod
    def of(cls, settings: EngineSettings) -> Self:
        """The signer of the settings. Contacts nothing.

        Raises:
            SignerKeyError: the public key is missing or wrong, or a certificate cannot be read.
        """
        if settings.solana_signer_url is None or settings.solana_signer_address is None:
            raise SignerKeyError(
                "REGALIA_SOLANA_SIGNER_URL needs REGALIA_SOLANA_SIGNER_ADDRESS, the public key that it signs with"
            )
        try:
            address = Pubkey.from_string(settings.solana_signer_address)
        except ValueError as error:
            raise SignerKeyError("REGALIA_SOLANA_SIGNER_ADDRESS is not 32 bytes in base58") from error
        return cls(SignerEndpoint.of(settings, str(settings.solana_signer_url), probe="getHealth"), address)

    @property
    def address(self) -> Pubkey:
        """The public key."""
        return self._address

    def sign(self, statement: bytes) -> bytes:
        """The 64-byte signature of a statement.

        Raises:
            SignerUnavailable: the signer did not answer in time, refused, or signed with another key.
        """
        shown = base64.b64encode(statement).decode()
        signature = _signature(self._endpoint.call("signMessage", str(self._address), shown))
        if not signature.verify(self._address, statement):
            raise SignerUnavailable(f"the remote signer did not sign this statement with the key of {self._address}")
        return bytes(signature)

    def answers(self) -> bool:
        """Whether the signer answers anything, a refusal included."""
        return self._endpoint.answers()

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()


def _signature(answer: Any) -> Signature:
    try:
        return Signature.from_bytes(base64.b64decode(answer, validate=True))
    except (TypeError, ValueError, binascii.Error):
        raise SignerUnavailable("the remote signer's answer is not a signature of 64 bytes") from None
