"""How much of a range is indexed, counted in work instead of blocks.

Blocks of one chain differ by orders of magnitude: early ones may be empty, or hold an airdrop. The source tells how
full a few blocks across the range are, and the blocks between two of these count as full as they are on average.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

_PROBES = 48
_FEWEST_BLOCKS = 500
"""A shorter range is indexed before an estimate would help."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A range of blocks by its fullness, in any unit, at evenly spaced blocks from the first to the last."""

    first: int
    last: int
    fullness: Sequence[float]

    @classmethod
    def of(cls, first: int, last: int, ask: Callable[[Sequence[int]], Sequence[float] | None]) -> Self | None:
        """The outline of a range; None for a short one, and where the source does not tell."""
        if last - first < _FEWEST_BLOCKS:
            return None
        found = ask([first + (last - first) * probe // (_PROBES - 1) for probe in range(_PROBES)])
        return None if found is None else cls(first, last, found)

    def share(self, block: int) -> float:
        """The share of the range's work that is done with this block, from 0 to 1."""
        pieces = [(one + other) / 2 for one, other in zip(self.fullness, self.fullness[1:], strict=False)]
        at = min(max((block - self.first + 1) / (self.last - self.first + 1), 0.0), 1.0) * len(pieces)
        whole = int(at)
        done = sum(pieces[:whole]) + (pieces[whole] * (at - whole) if whole < len(pieces) else 0.0)
        return done / sum(pieces) if sum(pieces) else 0.0
