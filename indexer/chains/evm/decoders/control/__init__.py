"""Who controls a contract: ownership, the default admin role, proxy admins and implementations."""

import numpy as np

from indexer.chains.evm.decoders.frame import (
    Columns,
    Frame,
    Scope,
    matching,
    position,
    raw_log,
    zero_address,
)
from indexer.chains.evm.tuned.hexadecimal import Bytes
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.words import address, nonzero
from warehouse.domain.selectors import event_topic

OWNERSHIP_TRANSFERRED = event_topic("OwnershipTransferred(address,address)")
ROLE_GRANTED = event_topic("RoleGranted(bytes32,address,address)")
ROLE_REVOKED = event_topic("RoleRevoked(bytes32,address,address)")
ADMIN_CHANGED = event_topic("AdminChanged(address,address)")
UPGRADED = event_topic("Upgraded(address)")
TOPICS = (OWNERSHIP_TRANSFERRED, ROLE_GRANTED, ROLE_REVOKED, ADMIN_CHANGED, UPGRADED)


def decode(logs: Logs, _scope: Scope) -> list[Frame]:
    """Rows of fact_control, and the logs themselves."""
    frames: list[Frame] = []
    owned = matching(logs, OWNERSHIP_TRANSFERRED, topics=3)
    if len(owned):
        frames += _frames(owned, b"owner", address(owned.topic(1)), address(owned.topic(2)))
    for topic, kind in ((ROLE_GRANTED, b"default_admin_granted"), (ROLE_REVOKED, b"default_admin_revoked")):
        roles = matching(logs, topic, topics=4)
        admins = roles.select(~nonzero(roles.topic(1)))
        if len(admins):
            frames += _frames(admins, kind, zero_address(len(admins)), address(admins.topic(2)))
    changed = matching(logs, ADMIN_CHANGED, topics=1, words=2)
    if len(changed):
        words = changed.words(2)
        frames += _frames(changed, b"proxy_admin", address(words[:, 0]), address(words[:, 1]))
    upgraded = matching(logs, UPGRADED, topics=2)
    if len(upgraded):
        frames += _frames(upgraded, b"implementation", zero_address(len(upgraded)), address(upgraded.topic(1)))
    return frames


def _frames(logs: Logs, kind: bytes, previous: Bytes, account: Bytes) -> list[Frame]:
    # Where no previous account exists it is empty: the zero address would mean that control had been renounced.
    known = nonzero(previous) if kind not in (b"owner", b"proxy_admin") else np.ones(len(logs), np.bool_)
    columns: Columns = {
        **position(logs),
        "address": logs.address(),
        "kind": [kind] * len(logs),
        "previous_account": [bytes(row) if there else b"" for row, there in zip(previous, known, strict=True)],
        "account": account,
        "signed": np.zeros(len(logs), np.uint8),
    }
    return [Frame("fact_control", columns), raw_log(logs)]
