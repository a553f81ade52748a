"""Events of our vaults of deals, at their configured address only."""

import numpy as np

from indexer.chains.evm.decoders.frame import Frame, Scope, emitted_by, matching, position, raw_log
from indexer.chains.evm.tuned.logs import Logs
from warehouse.domain.vaults import VAULT_LOGS, VAULT_TOPICS, VaultLog

TOPICS = tuple(VAULT_LOGS)
_WORD = 32


def decode(logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of fact_vault_event, and the logs themselves."""
    frames: list[Frame] = []
    if scope.vaults is None:
        return frames
    for topic, log in VAULT_LOGS.items():
        found = matching(logs, topic, topics=VAULT_TOPICS)
        if not len(found):
            continue
        own = found.select(emitted_by(found, scope.vaults))
        if len(own):
            frames += [_events(own, log), raw_log(own)]
    return frames


def _events(logs: Logs, log: VaultLog) -> Frame:
    topics, data = logs.topics(), logs.data()
    return Frame(
        "fact_vault_event",
        {
            **position(logs),
            "vaults": logs.address(),
            "kind": [log.kind.encode()] * len(logs),
            "deal": [row[1] for row in topics],
            "vault_id": [row[2] for row in topics],
            "account": [row[3][12:] for row in topics],
            "given_raw": _amounts(data, log.given_word),
            "paid_raw": _amounts(data, log.paid_word),
        },
    )


def _amounts(data: list[bytes], word: int | None) -> np.ndarray:
    """One word of the data of each log, as little-endian bytes; nothing where the kind has none."""
    if word is None:
        return np.zeros((len(data), _WORD), np.uint8)
    words = b"".join(row[_WORD * word : _WORD * (word + 1)].rjust(_WORD, b"\0")[::-1] for row in data)
    return np.frombuffer(words, np.uint8).reshape(len(data), _WORD)
