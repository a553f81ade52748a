"""When a chain was observed, so that a gap in the data does not count as inactivity."""

from collections.abc import Sequence
from dataclasses import dataclass

DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Observation:
    """Which time of a chain up to a moment was observed (unix seconds). ``gaps`` are (start, end), in order."""

    as_of: int
    known_from: int
    whole_history: bool
    """The chain is indexed from its first block: before ``known_from`` there was nothing."""
    gaps: Sequence[tuple[int, int]]

    def idle_seconds(self, last_time: int) -> int:
        """Observed seconds between an activity and the moment."""
        return max(0, self.as_of - last_time - self._unobserved(last_time, self.as_of))

    def day_window(self) -> tuple[int, int]:
        """(observed, to be observed) seconds of the 24 hours before the moment."""
        start = self.as_of - DAY_SECONDS
        if self.whole_history:
            start = min(max(start, self.known_from), self.as_of)
        observed_from = min(max(start, self.known_from), self.as_of)
        observed = self.as_of - observed_from - self._unobserved(observed_from, self.as_of)
        return max(0, observed), self.as_of - start

    def _unobserved(self, start: int, end: int) -> int:
        return sum(max(0, min(gap_end, end) - max(gap_start, start)) for gap_start, gap_end in self.gaps)
