"""Events are recorded in one way: as instances of their classes, by one statement."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("warehouse", "indexer", "pipelines", "api")
LOG = re.compile(r"INSERT\s+INTO\s+event_log", re.IGNORECASE)


def files(*patterns: str) -> list[Path]:
    return [path for package in (*PACKAGES, "sql") for pattern in patterns for path in (ROOT / package).rglob(pattern)]


def test_one_statement_writes_the_event_log() -> None:
    writers = [path.relative_to(ROOT).as_posix() for path in files("*.py", "*.sql") if LOG.search(path.read_text())]
    assert writers == ["sql/store/events/record_many.sql"]


def test_its_parameters_are_built_from_occurrences_only() -> None:
    users = sorted(
        path.relative_to(ROOT).as_posix()
        for path in files("*.py")
        if "events/record_many" in (text := path.read_text()) or "event_log.STATEMENT" in text
    )
    for user in users:
        if user != "warehouse/event_log.py":
            assert "event_log.parameters(" in (ROOT / user).read_text(), user
    assert "warehouse/event_log.py" in users


def test_types_of_events_are_written_only_in_their_classes() -> None:
    from warehouse.domain.events.catalogue import EVENTS

    quoted = re.compile("|".join(f'"{re.escape(name)}"' for name in EVENTS))
    allowed = ("warehouse/domain/events/", "api/webhooks/examples.py", "api/webhooks/schemas.py", "api/history/")
    wrong = {
        path.relative_to(ROOT).as_posix(): found
        for path in files("*.py")
        if (found := quoted.findall(path.read_text())) and not path.relative_to(ROOT).as_posix().startswith(allowed)
    }
    assert wrong == {}
