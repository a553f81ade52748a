"""docs/events.md lists exactly the events there are, with their members."""

import re
from pathlib import Path

from warehouse.domain.events.catalogue import EVENTS
from warehouse.domain.events.event import Audience, Event

DOCUMENT = (Path(__file__).resolve().parents[4] / "docs" / "events.md").read_text()


def row_of(event: type[Event]) -> str:
    members = ", ".join(f"`{one.name}`" + (" (optional)" if one.optional else "") for one in event.members())
    audience = "account" if event.audience is Audience.ACCOUNT else "all"
    produced = "yes" if event.produced else "not yet"
    return f"| `{event.type}` | {event.description()} | {members} | {audience} | {produced} |"


def test_every_event_is_listed_once_in_order() -> None:
    expected = [row_of(event) for event in EVENTS.values()]
    listed = [line for line in DOCUMENT.splitlines() if re.match(r"\| `[\w.]+` \| .* \| (all|account) \| .* \|$", line)]
    assert listed == expected, "the table should read:\n" + "\n".join(expected)
