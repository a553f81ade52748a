"""Conditions that operators should know of, and the messages about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

SCHEMA_VERSION = 1

Severity = Literal["warning", "error"]
Change = Literal["firing", "resolved", "test"]


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is wrong. Kind and subject identify it over time."""

    kind: str
    subject: str
    severity: Severity
    summary: str
    details: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What tells it from others."""
        return f"{self.kind}:{self.subject}"


def message(change: Change, condition: Condition, *, started_at: str, resolved_at: str | None = None) -> dict[str, Any]:
    """The body of a message; docs/operating.md describes it. Chat services show ``text``."""
    mark = {"firing": condition.severity.upper(), "resolved": "RESOLVED", "test": "TEST"}[change]
    return {
        "version": SCHEMA_VERSION,
        "event": change,
        "text": f"[{mark}] {condition.summary}",
        "alert": {
            "key": condition.key,
            "kind": condition.kind,
            "subject": condition.subject,
            "severity": condition.severity,
            "summary": condition.summary,
            "details": dict(condition.details),
            "startedAt": started_at,
            "resolvedAt": resolved_at,
        },
    }


def iso(moment: datetime) -> str:
    """A moment as messages show it."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
