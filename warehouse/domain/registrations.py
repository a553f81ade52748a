"""A registration: its fields, and the events of the registry contract that make and change it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from warehouse.domain.selectors import event_topic

MAX_TOKEN_ID: Final = 2**63 - 1
"""The largest id that the store's bigint holds."""
_MAX_UINT64: Final = 2**64 - 1
_MAX_MOMENT: Final = 2**32 - 1


@dataclass(slots=True, kw_only=True)
class Registration:
    """A registration, as the store keeps it. Addresses and hashes are lower-case hexadecimal with 0x.

    The block fields say where it was minted. Managers and maintainers are in the order in which they were named.
    ``released_at`` is when the owner gave it up or settled it, ``expired_at`` when the service ended it; ``end_reason``
    is released, settled, inactive or challenge_upheld. ``settled_token_id`` is the registration that a settlement made
    of it. ``pending_end`` is the reason of an end that is announced and has not taken effect; ``end_stopped_at`` is
    when an announced end was last stopped or withdrawn.
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
    end_reason: str | None = None
    settled_token_id: int | None = None
    pending_end: str | None = None
    pending_end_due_at: datetime | None = None
    pending_end_objected_at: datetime | None = None
    pending_end_confirmed_at: datetime | None = None
    end_stopped_at: datetime | None = None


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
ENDED: Final = RegistryLog("ended", "Ended(uint256,address,string,uint8)", 3, 0)
SETTLED: Final = RegistryLog("settled", "Settled(uint256,uint256,address,bytes32,address,uint256)", 4)
END_ANNOUNCED: Final = RegistryLog("end_announced", "EndAnnounced(uint256,address,uint8,uint64)", 3)
END_OBJECTED: Final = RegistryLog("end_objected", "EndObjected(uint256,address,uint64)", 3)
END_CONFIRMED: Final = RegistryLog("end_confirmed", "EndConfirmed(uint256)", 2)
END_VETOED: Final = RegistryLog("end_vetoed", "EndVetoed(uint256)", 2)
END_WITHDRAWN: Final = RegistryLog("end_withdrawn", "EndWithdrawn(uint256)", 2)
MANAGER_CHANGED: Final = RegistryLog("manager", "ManagerChanged(uint256,address,bool)", 3)
MAINTAINER_CHANGED: Final = RegistryLog("maintainer", "MaintainerChanged(uint256,address,bool)", 3)
METADATA_CHANGED: Final = RegistryLog("metadata", "MetadataChanged(uint256,string)", 2, 0)
CANONICAL_PEER_CHANGED: Final = RegistryLog("canonical_peer", "CanonicalPeerChanged(uint256,uint256,uint256)", 2)
SIGNER_CHANGED: Final = RegistryLog("signer_changed", "SignerChanged(address,address)", 3)
SIGNER_SUSPENDED: Final = RegistryLog("signer_suspended", "SignerSuspended(address)", 2)
"""Both void every announced end. They name no registration, so their ``token_id`` is 0."""

_END_LOGS: Final = (ENDED, SETTLED, END_ANNOUNCED, END_OBJECTED, END_CONFIRMED, END_VETOED, END_WITHDRAWN)

END_REASONS: Final[Mapping[int, str]] = {1: "inactive", 2: "challenge_upheld"}
"""Why the service ends a registration: the contract's codes and their names."""

REGISTRY_LOGS: Final[Mapping[bytes, RegistryLog]] = {
    log.topic: log
    for log in (
        REGISTERED,
        RELEASED,
        ENDED,
        SETTLED,
        END_ANNOUNCED,
        END_OBJECTED,
        END_CONFIRMED,
        END_VETOED,
        END_WITHDRAWN,
        SIGNER_CHANGED,
        SIGNER_SUSPENDED,
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
    reason: int = 0
    due_at: int = 0
    new_token_id: int = 0
    deal: bytes = b""


def decode_registry_log(log: RegistryLog, topics: Sequence[bytes], data: bytes) -> RegistryEvent:
    """The event of a log with ``log.topics`` topics. Data that is cut short reads as zeros, as in a contract; a number
    too large for its column reads as the largest that fits."""
    if log in (SIGNER_CHANGED, SIGNER_SUSPENDED):
        return RegistryEvent(0, account=topics[-1][12:])
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
    if log is RELEASED:
        return RegistryEvent(token_id, symbol=text, owner=topics[2][12:])
    if log in _END_LOGS:
        return _decode_end(log, token_id, topics, data, text)
    if log in (MANAGER_CHANGED, MAINTAINER_CHANGED):
        return RegistryEvent(token_id, account=topics[2][12:], enabled=_flag(data, 0))
    if log is METADATA_CHANGED:
        return RegistryEvent(token_id, metadata_cid=text)
    peer_chain_id, peer_token_id = (min(_number(data, word), _MAX_UINT64) for word in (0, 1))
    return RegistryEvent(token_id, peer_chain_id=peer_chain_id, peer_token_id=peer_token_id)


def _decode_end(log: RegistryLog, token_id: int, topics: Sequence[bytes], data: bytes, text: bytes) -> RegistryEvent:
    if log is ENDED:
        return RegistryEvent(token_id, symbol=text, owner=topics[2][12:], reason=_byte(data, 1))
    if log is SETTLED:
        new_token_id = min(int.from_bytes(topics[2], "big"), _MAX_UINT64)
        return RegistryEvent(token_id, owner=topics[3][12:], new_token_id=new_token_id, deal=_word(data, 0))
    if log is END_ANNOUNCED:
        return RegistryEvent(token_id, owner=topics[2][12:], reason=_byte(data, 0), due_at=_moment(data, 1))
    if log is END_OBJECTED:
        return RegistryEvent(token_id, owner=topics[2][12:], due_at=_moment(data, 0))
    return RegistryEvent(token_id)


def _word(data: bytes, index: int) -> bytes:
    return data[32 * index : 32 * index + 32].rjust(32, b"\0")


def _number(data: bytes, index: int) -> int:
    return int.from_bytes(_word(data, index), "big")


def _flag(data: bytes, index: int) -> bool:
    return bool(_word(data, index)[31])


def _byte(data: bytes, index: int) -> int:
    return _word(data, index)[31]


def _moment(data: bytes, index: int) -> int:
    return min(_number(data, index), _MAX_MOMENT)


def _text(data: bytes, index: int) -> bytes:
    start = min(_number(data, index), len(data))
    length = int.from_bytes(data[start : start + 32], "big") if start + 32 <= len(data) else 0
    return data[start + 32 : start + 32 + length]
