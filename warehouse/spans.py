"""What spans are to the code that makes them, whoever sends them."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from enum import Enum
from typing import Protocol

TRACEPARENT = "traceparent"
"""The header, and the argument of a job, that names the trace to continue (W3C Trace Context)."""

Attributes = Mapping[str, str | int | float]


class Kind(Enum):
    """What a span is to the one above it, in OpenTelemetry's words."""

    INTERNAL = "INTERNAL"
    SERVER = "SERVER"
    """It answers a request."""
    CLIENT = "CLIENT"
    """It waits for another program."""
    CONSUMER = "CONSUMER"
    """It does what was queued."""


class Span(Protocol):
    """A running span."""

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""

    def rename(self, name: str) -> None:
        """Give it the name that was not known at its beginning."""

    def fail(self, reason: str) -> None:
        """Mark it as failed, for a reason such as the class of an error."""


class Tracer(Protocol):
    """Makes spans. ``warehouse.otlp`` has the one that sends them."""

    def begin(
        self, name: str, kind: Kind, attributes: Attributes, traceparent: str | None
    ) -> AbstractContextManager[Span]:
        """A span that begins a trace, or continues the one of ``traceparent``."""

    def nested(self, name: str, kind: Kind, attributes: Attributes) -> AbstractContextManager[Span] | None:
        """A span below the running one; None where no trace is recorded."""

    def traceparent(self) -> str | None:
        """What continues the running trace elsewhere; None outside of one."""


class NoSpan:
    """Stands for a span where none is made."""

    def set(self, attributes: Attributes) -> None:
        """Nothing to add to."""

    def rename(self, name: str) -> None:
        """Nothing to name."""

    def fail(self, reason: str) -> None:
        """Nothing to mark."""
