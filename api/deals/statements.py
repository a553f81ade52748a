"""What the service attests about deals: EIP-712 documents, signed by the signer of the registries, to be verified
offline (``docs/deals.md``). Wallets are text, since those of Solana are no EVM addresses."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from eth_account.messages import encode_typed_data
from eth_utils.crypto import keccak

from api.http.rendering import dumps

DOMAIN_NAME: Final = "Regalia Deals"
DOMAIN_VERSION: Final = "1"
_DOMAIN_TYPE: Final = (("name", "string"), ("version", "string"), ("chainId", "uint256"))
_TYPES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "FundsCheck": (
        ("wallet", "string"), ("chainId", "uint256"), ("currency", "string"), ("offerAmount", "uint256"),
        ("requiredAmount", "uint256"), ("blockNumber", "uint256"), ("timestamp", "uint256"),
    ),
    "DealMove": (
        ("deal", "string"), ("move", "string"), ("wallet", "string"), ("offer", "bytes32"), ("timestamp", "uint256"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Signable:
    """A document with its hashes, as 0x and hexadecimal digits. ``message_hash`` is what is signed."""

    document: Mapping[str, Any]
    message_hash: str
    domain_separator: str


def funds_check(
    *, wallet: str, chain_id: int, currency: str, offer_amount: int, required_amount: int, block: int, timestamp: int
) -> Signable:
    """A wallet held at least ``required_amount`` base units of the currency as of a block."""
    message = {
        "wallet": wallet,
        "chainId": chain_id,
        "currency": currency,
        "offerAmount": offer_amount,
        "requiredAmount": required_amount,
        "blockNumber": block,
        "timestamp": timestamp,
    }
    return _signable("FundsCheck", chain_id, message)


def deal_move(*, deal: str, chain_id: int, move: str, wallet: str, offer: bytes, timestamp: int) -> Signable:
    """The session of a wallet made a move of a deal with these terms; ``offer`` is :func:`offer_hash`."""
    message = {"deal": deal, "move": move, "wallet": wallet, "offer": "0x" + offer.hex(), "timestamp": timestamp}
    return _signable("DealMove", chain_id, message)


def offer_hash(terms: Mapping[str, Any]) -> bytes:
    """SHA-256 of the terms of an offer as JSON with sorted members and without spaces."""
    return hashlib.sha256(dumps(_sorted(terms))).digest()


def _sorted(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {name: _sorted(value[name]) for name in sorted(value)}


def _signable(kind: str, chain_id: int, message: Mapping[str, Any]) -> Signable:
    document = {
        "types": {
            "EIP712Domain": [{"name": name, "type": type} for name, type in _DOMAIN_TYPE],
            kind: [{"name": name, "type": type} for name, type in _TYPES[kind]],
        },
        "primaryType": kind,
        "domain": {"name": DOMAIN_NAME, "version": DOMAIN_VERSION, "chainId": chain_id},
        "message": dict(message),
    }
    encoded = encode_typed_data(full_message=document)
    digest = keccak(b"\x19" + encoded.version + encoded.header + encoded.body)
    return Signable(document, "0x" + digest.hex(), "0x" + bytes(encoded.header).hex())
