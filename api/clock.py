"""The time, as something that can be handed in."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        return datetime.now(UTC)
