"""How far weights are computed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SUBJECT = "weights"


@dataclass(frozen=True, slots=True)
class Progress:
    """What the step stores with its checkpoint. Times are unix seconds; 0 means nothing yet."""

    closed_to: int = 0
    """End of the last hour that is computed."""
    history_from: int = 0
    """First complete hour of the chain's history."""
    pending_after: int = 0
    """Later changes may concern hours that are not computed yet."""
    as_of: int = 0
    """Time of the last block whose changes were seen."""
    rules: str = ""
    """What the figures depend on besides the chain. If it changes, all hours are computed again."""

    @property
    def started(self) -> bool:
        """Whether any hour is complete."""
        return self.history_from > 0


def read_progress(details: Mapping[str, Any]) -> Progress:
    """The progress in a checkpoint's details."""
    return Progress(**details)
