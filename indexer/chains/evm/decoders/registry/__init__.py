"""Events of our own registry contract, at its configured address only. Rare: read an event at a time."""

from dataclasses import dataclass, field

import numpy as np

from indexer.chains.evm.decoders.frame import Frame, Scope, emitted_by, event_topic, position, raw_log, shaped
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.words import little_endian, low_uint64

REGISTERED = event_topic("Registered(uint256,address,address,string,uint256,bool)")
RELEASED = event_topic("Released(uint256,address,string)")
EXPIRED = event_topic("Expired(uint256,address,string)")
MANAGER_CHANGED = event_topic("ManagerChanged(uint256,address,bool)")
MAINTAINER_CHANGED = event_topic("MaintainerChanged(uint256,address,bool)")
METADATA_CHANGED = event_topic("MetadataChanged(uint256,string)")
CANONICAL_PEER_CHANGED = event_topic("CanonicalPeerChanged(uint256,uint256,uint256)")

# Topic: kind, number of topics, and the place of the string in the head of the data.
_EVENTS = {
    REGISTERED: (b"registered", 4, 0),
    RELEASED: (b"released", 3, 0),
    EXPIRED: (b"expired", 3, 0),
    MANAGER_CHANGED: (b"manager", 3, None),
    MAINTAINER_CHANGED: (b"maintainer", 3, None),
    METADATA_CHANGED: (b"metadata", 2, 0),
    CANONICAL_PEER_CHANGED: (b"canonical_peer", 2, None),
}
TOPICS = tuple(_EVENTS)


@dataclass(slots=True)
class _Fields:
    """The columns that only some kinds fill; the others stay empty."""

    symbol: bytes = b""
    owner: bytes = b""
    token_address: bytes = b""
    fee_wei: bytes = field(default=bytes(32))
    with_receipt: int = 0
    account: bytes = b""
    enabled: int = 0
    metadata_cid: bytes = b""
    peer_chain_id: int = 0
    peer_token_id: int = 0


def decode(logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of fact_registry_event, and the logs themselves."""
    frames: list[Frame] = []
    if scope.registry is None:
        return frames
    for topic, (kind, topics, text_at) in _EVENTS.items():
        found = shaped(logs, topic, topics=topics)
        if not len(found):
            continue
        own = found.select(emitted_by(found, scope.registry))
        if len(own):
            frames += [_events(own, kind, text_at), raw_log(own)]
    return frames


def _events(logs: Logs, kind: bytes, text_at: int | None) -> Frame:
    count = len(logs)
    rows = [_fields(kind, topics, data, text_at) for topics, data in zip(logs.topics(), logs.data(), strict=True)]
    return Frame(
        "fact_registry_event",
        {
            **position(logs),
            "block_hash": logs.block_hash(),
            "registry": logs.address(),
            "kind": [kind] * count,
            "token_id": low_uint64(logs.topic(1)),
            "symbol": [row.symbol for row in rows],
            "owner": [row.owner for row in rows],
            "token_address": [row.token_address for row in rows],
            "fee_wei": little_endian(np.frombuffer(b"".join(row.fee_wei for row in rows), np.uint8).reshape(count, 32)),
            "with_receipt": np.array([row.with_receipt for row in rows], np.uint8),
            "account": [row.account for row in rows],
            "enabled": np.array([row.enabled for row in rows], np.uint8),
            "metadata_cid": [row.metadata_cid for row in rows],
            "peer_chain_id": np.array([row.peer_chain_id for row in rows], np.uint64),
            "peer_token_id": np.array([row.peer_token_id for row in rows], np.uint64),
        },
    )


def _fields(kind: bytes, topics: list[bytes], data: bytes, text_at: int | None) -> _Fields:
    text = b"" if text_at is None else _text(data, text_at)
    if kind == b"registered":
        return _Fields(
            symbol=text,
            owner=topics[2][12:],
            token_address=topics[3][12:],
            fee_wei=_word(data, 1),
            with_receipt=_word(data, 2)[31],
        )
    if kind in (b"released", b"expired"):
        return _Fields(symbol=text, owner=topics[2][12:])
    if kind in (b"manager", b"maintainer"):
        return _Fields(account=topics[2][12:], enabled=_word(data, 0)[31])
    if kind == b"metadata":
        return _Fields(metadata_cid=text)
    return _Fields(peer_chain_id=_number(data, 0), peer_token_id=_number(data, 1))


def _word(data: bytes, index: int) -> bytes:
    return data[32 * index : 32 * index + 32].rjust(32, b"\0")


def _number(data: bytes, index: int) -> int:
    return min(int.from_bytes(_word(data, index), "big"), 2**64 - 1)


def _text(data: bytes, index: int) -> bytes:
    at = _number(data, index)
    length = int.from_bytes(data[at : at + 32], "big") if at + 32 <= len(data) else 0
    return data[at + 32 : at + 32 + length]
