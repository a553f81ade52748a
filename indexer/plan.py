"""Which blocks to fetch next, and which to publish together.

Ranges adapt: they aim at a number of events per answer, stay within what the node allows, and grow while it is fast.
Units consist of whole ranges. Beyond the final block they stay short, because a reorganisation reverts whole units.
Before it they are long, because every unit costs a fixed number of writes, but they never keep the writer waiting.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of ranges and units. A waiting writer gets a unit of ``idle_unit_rows`` events."""

    unit_rows: int = 150_000
    idle_unit_rows: int = 15_000
    unit_blocks: int = 20_000
    range_logs: int = 8_000
    range_blocks: int = 2_000
    first_range_blocks: int = 32
    slow_seconds: float = 5.0
    fetchers: int = 8
    ranges_ahead: int = 24
    logs_ahead: int = 100_000


@dataclass(slots=True)
class RangeSize:
    """How many blocks the next range should have.

    Attributes:
        blocks: the current answer.
        density: events per block, as a decaying mean.
        ceiling: the most blocks to ask for; lowered by refusals, and slowly raised again.
        target_logs: events an answer should hold; lowered and raised likewise.
    """

    limits: Limits
    blocks: int = field(init=False)
    density: float = field(init=False, default=0.0)
    ceiling: float = field(init=False)
    target_logs: float = field(init=False)

    def __post_init__(self) -> None:  # noqa: D105
        self.blocks = min(self.limits.first_range_blocks, self.limits.unit_blocks, self.limits.range_blocks)
        self.ceiling = self.limits.range_blocks
        self.target_logs = self.limits.range_logs

    def observe(self, blocks: int, logs: int, seconds: float) -> None:
        """Learn from a range that was fetched in one piece."""
        seen = logs / blocks
        self.density = seen if self.density == 0.0 else 0.5 * self.density + 0.5 * seen
        self.ceiling = min(self.ceiling * 1.02, self.limits.range_blocks)  # the refusal may have been temporary
        self.target_logs = min(self.target_logs * 1.02, self.limits.range_logs)
        wanted = self.target_logs / self.density if self.density > 0 else self.ceiling
        if seconds > self.limits.slow_seconds:
            wanted = min(wanted, blocks / 2)
        self._set(min(wanted, 4 * self.blocks))

    def refuse(self, asked: int, granted: int) -> None:
        """Learn that the node refused ``asked`` blocks and allowed ``granted``. Nodes do not say why."""
        if granted < asked:
            self.ceiling = max(1.0, min(self.ceiling, granted))
            if self.density > 0:
                self.target_logs = max(1.0, min(self.target_logs, self.density * granted))
            self._set(self.blocks)

    def _set(self, blocks: float) -> None:
        self.blocks = max(1, min(int(blocks), int(self.ceiling), self.limits.unit_blocks))


def short_unit(head: int, final: int) -> int:
    """Blocks per unit beyond the final block: half of those, or all of them when there are at most sixteen."""
    return max(16, (head - max(final, 0)) // 2)


def next_range(first: int, head: int, final: int, size: RangeSize, limits: Limits) -> int:
    """Last block of the range that begins at ``first``. No range holds both final and other blocks."""
    if first <= final:
        return min(first + min(size.blocks, limits.unit_blocks) - 1, final, head)
    return min(first + min(size.blocks, short_unit(head, final)) - 1, head)


def is_complete(
    first: int, last: int, rows: int, head: int, final: int, limits: Limits, *, writer_waits: bool = False
) -> bool:
    """Whether a unit from ``first`` to ``last`` with ``rows`` events should be published now."""
    enough = min(limits.idle_unit_rows, limits.unit_rows) if writer_waits else limits.unit_rows
    if last >= head or last == final or rows >= enough:
        return True
    blocks = last - first + 1
    return blocks >= (limits.unit_blocks if first <= final else short_unit(head, final))
