"""A registration: its fields, and the events of the registry contract that make and change it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from warehouse.domain.selectors import event_topic

MAX_TOKEN_ID: Final = 2**63 - 1
"""The largest id that the store's bigint holds."""
_MAX_PEER: Final = 2**64 - 1


@dataclass(slots=True, kw_only=True)
class Registration:
    """A registration, as the store keeps it. Addresses and hashes are lower-case hexadecimal with 0x.

    The block fields say where it was minted. Managers and maintainers are in the order in which they were named.
    """

    chain_id: int
    token_id: int
    block_hash: str
    log_index: int
    block_number: int
    transaction_hash: str
    registry: str
    symbol: str
    owner: str
    token_address: str
    fee_wei: int
    with_receipt: bool
    minted_at: datetime
    managers: list[str] = field(default_factory=list)
    maintainers: list[str] = field(default_factory=list)
    metadata_cid: str | None = None
    peer_chain_id: int | None = None
    peer_token_id: int | None = None
    released_at: datetime | None = None
    expired_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RegistryLog:
    """A kind of event of the registry: its name in ``fact_registry_event``, its topics, and which word of the data
    points to its text."""

    kind: str
    signature: str
    topics: int
    text_word: int | None = None

    @property
    def topic(self) -> bytes:
        """The first topic."""
        return event_topic(self.signature)


REGISTERED: Final = RegistryLog("registered", "Registered(uint256,address,address,string,uint256,bool)", 4, 0)
RELEASED: Final = RegistryLog("released", "Released(uint256,address,string)", 3, 0)
EXPIRED: Final = RegistryLog("expired", "Expired(uint256,address,string)", 3, 0)
MANAGER_CHANGED: Final = RegistryLog("manager", "ManagerChanged(uint256,address,bool)", 3)
MAINTAINER_CHANGED: Final = RegistryLog("maintainer", "MaintainerChanged(uint256,address,bool)", 3)
METADATA_CHANGED: Final = RegistryLog("metadata", "MetadataChanged(uint256,string)", 2, 0)
CANONICAL_PEER_CHANGED: Final = RegistryLog("canonical_peer", "CanonicalPeerChanged(uint256,uint256,uint256)", 2)

REGISTRY_LOGS: Final[Mapping[bytes, RegistryLog]] = {
    log.topic: log
    for log in (
        REGISTERED,
        RELEASED,
        EXPIRED,
        MANAGER_CHANGED,
        MAINTAINER_CHANGED,
        METADATA_CHANGED,
        CANONICAL_PEER_CHANGED,
    )
}
"""All of them, by first topic."""


@dataclass(frozen=True, slots=True)
class RegistryEvent:
    """The fields of a registry event. Fields that its kind does not have stay empty."""

    token_id: int
    symbol: bytes = b""
    owner: bytes = b""
    token_address: bytes = b""
    fee_wei: int = 0
    with_receipt: bool = False
    account: bytes = b""
    enabled: bool = False
    metadata_cid: bytes = b""
    peer_chain_id: int = 0
    peer_token_id: int = 0


def decode_registry_log(log: RegistryLog, topics: Sequence[bytes], data: bytes) -> RegistryEvent:
    """The event of a log with ``log.topics`` topics. Data that is cut short reads as zeros, as in a contract; a peer's
    number above 64 bits reads as the largest of them."""
    token_id = int.from_bytes(topics[1], "big")
    text = b"" if log.text_word is None else _text(data, log.text_word)
    if log is REGISTERED:
        return RegistryEvent(
            token_id,
            symbol=text,
            owner=topics[2][12:],
            token_address=topics[3][12:],
            fee_wei=_number(data, 1),
            with_receipt=_flag(data, 2),
        )
    if log in (RELEASED, EXPIRED):
        return RegistryEvent(token_id, symbol=text, owner=topics[2][12:])
    if log in (MANAGER_CHANGED, MAINTAINER_CHANGED):
        return RegistryEvent(token_id, account=topics[2][12:], enabled=_flag(data, 0))
    if log is METADATA_CHANGED:
        return RegistryEvent(token_id, metadata_cid=text)
    peer_chain_id, peer_token_id = (min(_number(data, word), _MAX_PEER) for word in (0, 1))
    return RegistryEvent(token_id, peer_chain_id=peer_chain_id, peer_token_id=peer_token_id)


def _word(data: bytes, index: int) -> bytes:
    return data[32 * index : 32 * index + 32].rjust(32, b"\0")


def _number(data: bytes, index: int) -> int:
    return int.from_bytes(_word(data, index), "big")


def _flag(data: bytes, index: int) -> bool:
    return bool(_word(data, index)[31])


def _text(data: bytes, index: int) -> bytes:
    start = min(_number(data, index), len(data))
    length = int.from_bytes(data[start : start + 32], "big") if start + 32 <= len(data) else 0
    return data[start + 32 : start + 32 + length]
