"""Registrations on a ledger, and reads of the event log."""

from collections.abc import Mapping
from typing import Any

from tests.factories.ledger import START, Ledger, address
from warehouse.domain.events.catalogue import EVENTS
from warehouse.postgres import Connection

OWNER = address(0x0A)
SOURCES = ("registry", "holdings", "trades", "heartbeats", "copies")


def listen(store: Connection, since: int = START) -> None:
    """Record events from a moment on: a ledger's blocks are long ago."""
    for source in SOURCES:
        store.execute(
            "INSERT INTO event_progress (chain_id, source, told_from) VALUES (8453, %s, to_timestamp(%s))",
            (source, since),
        )


def log(store: Connection, *types: str) -> list[dict[str, Any]]:
    """Recorded events in their order, of some types or all. Each is what the catalogue says of its type."""
    rows = store.execute("SELECT * FROM event_log ORDER BY created_at, id").fetchall()
    for row in rows:
        assert_as_declared(row["type"], row["payload"])
    return [row for row in rows if not types or row["type"] in types]


_TYPES = {"string": str, "number": int | float, "integer": int, "string[]": list, "object[]": list, "boolean": bool}


def assert_as_declared(type_: str, payload: Mapping[str, Any]) -> None:
    """A payload has the members that its event class declares, of the types declared."""
    declared = EVENTS[type_]
    assert declared.produced
    assert set(payload) <= {member.name for member in declared.members()}
    for member in declared.members():
        if not member.optional or member.name in payload:
            assert isinstance(payload[member.name], _TYPES[member.type]), member.name


def register(ledger: Ledger, token: str, token_id: int = 1, symbol: str = "PEPE") -> None:
    """A registration in the present block."""
    ledger.registry("registered", token_id, symbol=symbol, owner=OWNER, token_address=token, fee_wei=5)


def settle(ledger: Ledger, blocks: int = 2, seconds: int = 2) -> None:
    """Blocks that make those before them final."""
    for _ in range(blocks):
        ledger.mine(seconds)
    ledger.publish()
