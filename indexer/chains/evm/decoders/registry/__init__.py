"""Events of our own registry contract, at its configured address only. Rare: read an event at a time."""

import numpy as np

from indexer.chains.evm.decoders.frame import Frame, Scope, emitted_by, matching, position, raw_log
from indexer.chains.evm.tuned.logs import Logs
from warehouse.domain.registrations import REGISTRY_LOGS, RegistryLog, decode_registry_log

TOPICS = tuple(REGISTRY_LOGS)
_UINT64 = 2**64 - 1


def decode(logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of fact_registry_event, and the logs themselves."""
    frames: list[Frame] = []
    if scope.registry is None:
        return frames
    for topic, log in REGISTRY_LOGS.items():
        found = matching(logs, topic, topics=log.topics)
        if not len(found):
            continue
        own = found.select(emitted_by(found, scope.registry))
        if len(own):
            frames += [_events(own, log), raw_log(own)]
    return frames


def _events(logs: Logs, log: RegistryLog) -> Frame:
    count = len(logs)
    rows = [decode_registry_log(log, topics, data) for topics, data in zip(logs.topics(), logs.data(), strict=True)]
    fees = b"".join(row.fee_wei.to_bytes(32, "little") for row in rows)
    return Frame(
        "fact_registry_event",
        {
            **position(logs),
            "block_hash": logs.block_hash(),
            "registry": logs.address(),
            "kind": [log.kind.encode()] * count,
            "token_id": np.array([row.token_id & _UINT64 for row in rows], np.uint64),
            "symbol": [row.symbol for row in rows],
            "owner": [row.owner for row in rows],
            "token_address": [row.token_address for row in rows],
            "fee_wei": np.frombuffer(fees, np.uint8).reshape(count, 32),
            "with_receipt": np.array([row.with_receipt for row in rows], np.uint8),
            "account": [row.account for row in rows],
            "enabled": np.array([row.enabled for row in rows], np.uint8),
            "metadata_cid": [row.metadata_cid for row in rows],
            "peer_chain_id": np.array([row.peer_chain_id for row in rows], np.uint64),
            "peer_token_id": np.array([row.peer_token_id for row in rows], np.uint64),
            "reason": np.array([row.reason for row in rows], np.uint8),
            "due_at": np.array([row.due_at for row in rows], np.uint32),
            "new_token_id": np.array([row.new_token_id for row in rows], np.uint64),
            "deal": [row.deal for row in rows],
        },
    )
