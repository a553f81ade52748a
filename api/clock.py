"""The time as a dependency."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Gives the current time."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        return datetime.now(UTC)
