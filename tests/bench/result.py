"""One figure of a benchmark, as it is printed and written to ``build/bench.json``."""

import operator
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

COMPARISONS = {"<=": operator.le, ">=": operator.ge, "==": operator.eq}


@dataclass(frozen=True, slots=True)
class Result:
    """A name, its value in a unit, and the mark it is to meet (``<= 0.05``) or none."""

    name: str
    value: float
    unit: str
    mark: str | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the value meets the mark; None without one."""
        if self.mark is None:
            return None
        comparison, _, limit = self.mark.partition(" ")
        return bool(COMPARISONS[comparison](self.value, float(limit)))

    def as_dict(self) -> dict[str, Any]:
        """The five keys of ``build/bench.json``."""
        return {**asdict(self), "value": float(f"{self.value:.6g}"), "holds": self.holds}


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that ``percent`` of the values do not exceed; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else 0.0
